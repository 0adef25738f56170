import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../../../src/cluster/api.ts';
import { holdLease } from '../../../src/cluster/lease.ts';
import { LeaseHeldError, LeaseLostError } from '../../../src/cluster/lease-errors.ts';
import { apiFor } from './support/kubeconfig.ts';
import { LeaseStore } from './support/lease-store.ts';
import { refuse, startServer, type TestServer } from './support/server.ts';

const name = 'csi-node-1';
const noon = Date.parse('2026-01-01T12:00:00Z');
const held = (holder: string, renewTime: string) => ({
  holderIdentity: holder,
  leaseDurationSeconds: 30,
  acquireTime: '2026-01-01T11:00:00.000000Z',
  renewTime,
  leaseTransitions: 4,
});

describe('lease', () => {
  let store: LeaseStore;
  let server: TestServer;
  let api: Api;
  let stop: AbortController;

  beforeEach(async () => {
    store = new LeaseStore();
    server = await startServer(store.handler);
    api = await apiFor(server.url);
    stop = new AbortController();
  });
  afterEach(() => {
    stop.abort();
    return server.close();
  });

  const hold = (more: object = {}) =>
    holdLease(api, { name, namespace: 'kube-system', holder: 'me', seconds: 30, ...more }, stop.signal);
  const spec = () => store.leases.get(name)?.spec ?? assert.fail('there is no lease');

  it('is made, and deleted at the end', async () => {
    const lease = await hold({ now: () => noon });
    assert.deepEqual(spec(), {
      holderIdentity: 'me',
      leaseDurationSeconds: 30,
      acquireTime: '2026-01-01T12:00:00.000000Z',
      renewTime: '2026-01-01T12:00:00.000000Z',
      leaseTransitions: 0,
    });
    assert.equal(await lease.release(), undefined);
    assert.equal(store.leases.size, 0);
  });

  it('that somebody else holds: who, since when, until when', async () => {
    store.put(name, held('jane@laptop', '2026-01-01T11:59:50.000000Z'));
    await assert.rejects(hold({ now: () => noon }), (error: unknown) => {
      assert(error instanceof LeaseHeldError);
      assert.deepEqual(
        [error.holder, error.since, error.until],
        ['jane@laptop', '2026-01-01T11:00:00.000000Z', '2026-01-01T12:00:20.000Z'],
      );
      assert.match(
        error.message,
        /held by jane@laptop since 2026-01-01T11:00:00.* until 2026-01-01T12:00:20/,
      );
      return true;
    });
  });

  it('that has run out is taken over', async () => {
    store.put(name, held('jane@laptop', '2026-01-01T11:59:20.000000Z'));
    const lease = await hold({ now: () => noon });
    assert.deepEqual([spec().holderIdentity, spec().leaseTransitions], ['me', 5]);
    await lease.release();
  });

  it('that is our own, of an interrupted run, is taken at once', async () => {
    store.put(name, held('me', '2026-01-01T11:59:59.000000Z'));
    await (await hold({ now: () => noon })).release();
    assert.equal(store.leases.size, 0);
  });

  it('two at once: one wins', async () => {
    store.put(name, held('gone', '2026-01-01T11:00:00.000000Z'));
    const both = await Promise.allSettled(['a', 'b'].map((holder) => hold({ holder, now: () => noon })));
    const winners = both.filter(({ status }) => status === 'fulfilled');
    const losers = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    assert.equal(winners.length, 1);
    assert(losers[0] instanceof LeaseHeldError, String(losers[0]));
  });

  it('two that make it at once: one wins', async () => {
    const both = await Promise.allSettled(['a', 'b'].map((holder) => hold({ holder })));
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });

  const renewal = async () => {
    const before = spec().renewTime;
    while (spec().renewTime === before) await sleep(10);
  };

  it('is renewed', async () => {
    const lease = await hold({ seconds: 0.5 });
    await renewal();
    await renewal();
    assert.equal(lease.signal.aborted, false);
    await lease.release();
  });

  it('is renewed over a write of somebody else that left it ours', async () => {
    const lease = await hold({ seconds: 0.5 });
    store.put(name, { ...spec(), note: 'x' });
    await renewal();
    await lease.release();
    assert.equal(store.leases.size, 0);
  });

  const lossOf = async (change: () => void) => {
    const lease = await hold({ seconds: 0.3 });
    change();
    await once(lease.signal, 'abort');
    assert(lease.signal.reason instanceof LeaseLostError, String(lease.signal.reason));
    assert.equal(await lease.release(), undefined);
    return lease.signal.reason.message;
  };

  it('that is taken from us aborts our signal, and stays theirs', async () => {
    const message = await lossOf(() => store.put(name, held('jane', '2026-01-01T12:00:00.000000Z')));
    assert.match(message, /jane has taken it/);
    assert.equal(spec().holderIdentity, 'jane');
  });

  it('that is deleted aborts our signal', async () => {
    assert.match(await lossOf(() => store.leases.clear()), /it was deleted/);
  });

  it('that cannot be renewed in its life aborts our signal; one failure does not', async () => {
    let failures = 1;
    const breaking = await hold({ seconds: 0.5 });
    store.before = (_, response) =>
      failures > 0 && failures-- ? refuse(response, 500, 'InternalError', 'etcd is away') : undefined;
    await renewal();
    assert.equal(failures, 0);
    assert.equal(breaking.signal.aborted, false);
    failures = Number.POSITIVE_INFINITY;
    await once(breaking.signal, 'abort');
    assert.match(breaking.signal.reason.message, /is lost: etcd is away/);
    await breaking.release();
  });

  it('ends with the signal of its caller, and can still be given back', async () => {
    const lease = await hold();
    stop.abort(new Error('interrupted'));
    assert.equal(lease.signal.reason.message, 'interrupted');
    assert.equal(await lease.release(), undefined);
    assert.equal(store.leases.size, 0);
  });

  it('says what failed when it cannot be given back', async () => {
    const lease = await hold();
    store.before = (_, response) => refuse(response, 403, 'Forbidden', 'leases is forbidden');
    assert.match((await lease.release()) ?? '', /lease csi-node-1 was not given back: leases is forbidden/);
  });

  it('passes a refusal on', async () => {
    store.before = (_, response) => refuse(response, 403, 'Forbidden', 'leases is forbidden');
    await assert.rejects(hold(), { status: 403 });
  });
});

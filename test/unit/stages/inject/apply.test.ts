import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync } from 'node:fs';
import type { CommandContext } from '../../../../src/cli/context.ts';
import type { Api } from '../../../../src/cluster/api.ts';
import { ApiError, ConnectionError } from '../../../../src/cluster/errors.ts';
import { applyPlan } from '../../../../src/stages/inject/apply.ts';
import { Facts } from '../../../../src/stages/inject/facts.ts';
import type { Intent } from '../../../../src/stages/inject/intent.ts';
import type { Planned } from '../../../../src/stages/inject/plan.ts';
import { removeSpare } from '../../../../src/stages/inject/spare.ts';
import { recordAnnotation, recordText } from '../../../../src/workload/change/record.ts';
import { refOf, type WorkloadObject } from '../../../../src/workload/kinds.ts';
import { binaryConfigMap } from '../../../../src/workload/probe/binary.ts';
import { deployment, podSpec } from '../../workload/fixture.ts';

const { signal } = new AbortController();
const quiet = { update: () => undefined, stop: () => undefined };
const intent = (parts: Partial<Intent> = {}) =>
  ({ mode: 'probe', dryRun: 'none', wait: true, timeoutMs: 5_000, ...parts }) as Intent;
const refusedBy = (status: number) =>
  new ApiError(`status ${status}`, { status, reason: '', verb: 'patch', group: '', resource: 'x' });
const broken = new ConnectionError('broken', 'connection lost', 'try again');
const fail = (error: Error) => () => Promise.reject(error);

/** An API that notes what is written, and answers as it is told. */
function world(parts: Partial<Record<keyof Api, (path: string) => unknown>>) {
  const calls: string[] = [];
  const answer =
    (verb: keyof Api) =>
    async (path: string): Promise<unknown> => {
      calls.push(`${verb} ${path.split('/').slice(-2).join('/')}`);
      return parts[verb]?.(path) ?? {};
    };
  const verbs = ['get', 'list', 'create', 'patch', 'remove'] as const;
  const api = Object.fromEntries(verbs.map((verb) => [verb, answer(verb)])) as unknown as Api;
  const apply = (planned: Planned, parts: Partial<Intent> = {}) =>
    applyPlan({ signal } as CommandContext, new Facts(api, signal), planned, intent(parts), quiet);
  return { api, calls, apply };
}

const web = deployment({ resourceVersion: '1', uid: 'u' });
const planned = (object: WorkloadObject, parts: Partial<Planned> = {}): Planned => ({
  object,
  record: undefined,
  plan: {
    workload: refOf(object),
    containers: [],
    edits: [],
    warnings: [],
    diff: [],
    patch: { metadata: { annotations: {} } },
  },
  ...parts,
});
const withBinary = planned(web, { configMap: binaryConfigMap('probe', refOf(web), 'AAAA') });
const undo = /kubectl csi inject-probe deployment\/web -n shop --undo takes it back/;

describe('a change that goes wrong', () => {
  it('is refused when the server refuses the patch, and the ConfigMap made for it goes', async () => {
    const { apply, calls } = world({ patch: fail(refusedBy(422)) });
    assert.deepEqual(await apply(withBinary), { result: 'refused', detail: 'status 422' });
    assert.deepEqual(calls, ['create shop/configmaps', 'patch deployments/web', 'remove configmaps/probe']);
  });

  it('leaves a ConfigMap that was there before', async () => {
    const found = { ...withBinary.configMap };
    const { apply, calls } = world({
      create: fail(refusedBy(409)),
      get: () => found,
      patch: fail(refusedBy(422)),
    });
    assert.equal((await apply(withBinary)).result, 'refused');
    assert.ok(!calls.some((call) => call.startsWith('remove')), calls.join());
  });

  it('is not called refused while the server may have made it', async () => {
    const { apply, calls } = world({ patch: fail(broken) });
    const { result, detail } = await apply(withBinary);
    assert.equal(result, 'failed');
    assert.match(detail, /whether it was changed is not known/);
    assert.match(detail, undo);
    assert.ok(!calls.includes('remove configmaps/probe'), calls.join());
  });

  it('is failed after the patch, with the command that takes it back', async () => {
    const { apply } = world({ patch: () => web, get: fail(broken) });
    const { result, detail } = await apply(planned(web));
    assert.equal(result, 'failed');
    assert.match(detail, /^changed, and then: connection lost/);
    assert.match(detail, undo);
  });
});

describe('the ConfigMap that is taken back', () => {
  const old = { ...web, metadata: { ...web.metadata, annotations: {} } };
  old.metadata.annotations = {
    [recordAnnotation]: recordText({ version: 1, edits: [], configMap: 'probe' }),
  };
  const pod = (name: string, more: object = {}) => ({
    metadata: { name },
    spec: { volumes: [{ name: 'kubectl-csi-probe', configMap: { name: 'probe' } }] },
    status: { phase: 'Running' },
    ...more,
  });
  const spare = (api: Api) => removeSpare(new Facts(api, signal), planned(old), intent({ mode: 'undo' }));

  it('stays while a pod mounts it, whoever made that', async () => {
    const { api, calls } = world({ list: () => [pod('nightly-1-x')] });
    const { kept } = await spare(api);
    assert.match(kept ?? '', /nightly-1-x.*kubectl delete configmap probe -n shop/);
    assert.deepEqual(calls, ['list shop/pods']);
  });

  it('goes when only pods have it that end or have ended', async () => {
    const ending = pod('a', { metadata: { name: 'a', deletionTimestamp: 'now' } });
    const { api, calls } = world({ list: () => [ending, pod('b', { status: { phase: 'Succeeded' } })] });
    assert.deepEqual(await spare(api), {});
    assert.deepEqual(calls, ['list shop/pods', 'remove configmaps/probe']);
  });

  it('stays when pods could not be looked for', async () => {
    const { api, calls } = world({ list: fail(refusedBy(403)) });
    assert.match((await spare(api)).failure ?? '', /kubectl delete configmap probe -n shop/);
    assert.deepEqual(calls, ['list shop/pods']);
  });
});

describe('a pod that is made anew', () => {
  const bare: WorkloadObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'bare', namespace: 'shop', uid: 'u', resourceVersion: '1' },
    spec: { ...podSpec(), hostname: 'secret-value' },
  };
  /** The rehearsal passes; what comes after the deletion does not. */
  const failing = () => {
    let creations = 0;
    return world({
      get: fail(refusedBy(404)),
      create: () => (creations++ === 0 ? {} : Promise.reject(refusedBy(422))),
    });
  };

  it('is kept in a file that only its user reads, and not in the report', async () => {
    const { result, detail } = await failing().apply(planned(bare));
    assert.equal(result, 'failed');
    assert.ok(!detail.includes('secret-value'), detail);
    const path = /kubectl create -f (\S+) makes what it was/.exec(detail)?.[1] ?? assert.fail(detail);
    try {
      assert.equal(statSync(path).mode & 0o777, 0o600);
      const { kind, metadata, spec } = JSON.parse(readFileSync(path, 'utf8'));
      assert.deepEqual([kind, metadata.name, spec.hostname], ['Pod', 'bare', 'secret-value']);
    } finally {
      rmSync(path);
    }
  });

  it('is refused when it may not be deleted', async () => {
    const { apply } = world({ remove: fail(refusedBy(403)) });
    assert.deepEqual(await apply(planned(bare)), { result: 'refused', detail: 'status 403' });
  });

  it('is failed when it is there again and cannot be read', async () => {
    let reads = 0;
    const { apply } = world({ get: () => Promise.reject(reads++ === 0 ? refusedBy(404) : broken) });
    const { result, detail } = await apply(planned(bare));
    assert.equal(result, 'failed');
    assert.match(
      detail,
      /^made anew, and then: connection lost; kubectl csi .* --undo --replace takes it back/,
    );
  });
});

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod } from '@kubernetes/client-node';
import type { Api, WatchEvent } from '../../../src/cluster/api.ts';
import { ApiError } from '../../../src/cluster/errors.ts';
import type { Wire } from '../../../src/kubelet/wire.ts';
import { Carriers } from '../../../src/reach/pod/carrier.ts';
import type { DebugImage } from '../../../src/reach/pod/pod-spec.ts';
import { openSession } from '../../../src/reach/session/session.ts';
import { startVisit, type Visit } from '../../../src/reach/visit.ts';
import { captured, existing } from '../support/captures.ts';

type Pod = Wire<V1Pod>;
type Container = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

const node = existing(captured('healthy').snapshot.nodes[0], 'node');
const place = (image: string, namespace = 'csi'): DebugImage => ({ image, namespace, pullSecrets: [] });

/** What becomes of a pod, by its image. */
type Fate = Container['state'] | 'refused' | 'deleted' | 'never';

const waiting = (reason: string, message: string): Fate => ({ waiting: { reason, message } });
const running: Fate = { running: {} };

/** An API server in memory: pods, the agent's ConfigMaps, and what became of them. */
class FakeApi {
  readonly log: string[] = [];
  readonly #objects = new Map<string, { readonly metadata: { readonly uid: string } }>();
  readonly #fates: Readonly<Record<string, Fate>>;
  /** Somebody puts another ConfigMap in place of ours. */
  tampered = false;
  /** Milliseconds that making a pod takes; a client that hangs up does not stop it. */
  late = 0;

  constructor(fates: Readonly<Record<string, Fate>>) {
    this.#fates = fates;
  }

  get left(): readonly string[] {
    return [...this.#objects.keys()];
  }

  get api(): Api {
    const parts: Partial<Api> = {
      create: (path, object, query, options) => {
        const made = this.#create(path, object as Pod, query?.dryRun !== undefined);
        return Promise.race([made, hungUp(options?.signal)]) as never;
      },
      get: async (path) => {
        const object = this.#objects.get(path);
        return (this.tampered ? { ...object, metadata: { uid: 'another' } } : object) as never;
      },
      remove: async (path) => void this.#objects.delete(path),
      watch: (_path, query, signal) => this.#watch(String(query.fieldSelector), signal) as never,
    };
    return parts as Api;
  }

  async #create(path: string, object: Pod, dry: boolean) {
    const image = object.spec?.containers[0]?.image ?? '';
    if (dry && this.#fates[image] === 'refused')
      throw new ApiError('violates PodSecurity "restricted"', {
        status: 403,
        reason: 'Forbidden',
        verb: 'create',
        group: '',
        resource: 'pods',
      });
    if (!dry && image) await sleep(this.late);
    const created = { ...object, metadata: { ...object.metadata, uid: `uid-${object.metadata?.name}` } };
    if (!dry) this.#objects.set(`${path}/${object.metadata?.name}`, created);
    if (!dry && image) this.log.push(image);
    return { object: created, warnings: [] };
  }

  async *#watch(selector: string, signal: AbortSignal): AsyncGenerator<WatchEvent<Pod>> {
    const name = selector.replace('metadata.name=', '');
    const [, pod] = existing(
      [...this.#objects].find(([path]) => path.endsWith(name)),
      name,
    ) as [string, Pod];
    const image = pod.spec?.containers[0]?.image ?? '';
    const fate = this.#fates[image];
    yield { type: 'ADDED', object: pod };
    if (fate === 'deleted') yield { type: 'DELETED', object: pod };
    else if (fate === 'never' || fate === 'refused' || fate === undefined)
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    else {
      const status: Container = {
        name: 'agent',
        image,
        imageID: '',
        ready: true,
        restartCount: 0,
        state: fate,
      };
      yield {
        type: 'MODIFIED',
        object: { ...pod, status: { phase: 'Running', containerStatuses: [status] } },
      };
    }
  }
}

const hungUp = (signal = new AbortController().signal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

function visitOf(api: Api, places: readonly DebugImage[]): Visit {
  const visit = startVisit(api, {}, 60);
  const carriers = new Carriers(api, visit.run, async () => Buffer.from('the agent'));
  return { ...visit, carriers, places: async () => places };
}

describe('the way to a node', () => {
  const open = (fake: FakeApi, places: readonly DebugImage[], signal = new AbortController().signal) =>
    openSession(visitOf(fake.api, places), node, 'read', signal);
  const failureOf = async (promise: Promise<unknown>) =>
    (await promise.then(
      () => undefined,
      (error: Error) => error.message,
    )) ?? 'it opened';
  const podsLeft = (fake: FakeApi) => fake.left.filter((path) => path.includes('/pods/'));

  it('is the first place whose image starts', async () => {
    const fake = new FakeApi({
      gone: waiting('ErrImageNeverPull', 'not present'),
      good: running,
      unused: running,
    });
    const session = await open(fake, [place('gone'), place('good'), place('unused')]);
    assert.equal(session.place.image, 'good');
    assert.deepEqual(fake.log, ['gone', 'good']);
    assert.equal(podsLeft(fake).length, 1);
    assert.equal(await session.close(), undefined);
    assert.deepEqual(podsLeft(fake), []);
  });

  it('leaves out a namespace that admits no such pod', async () => {
    const fake = new FakeApi({ strict: 'refused', good: running });
    const session = await open(fake, [place('strict', 'strict'), place('good')]);
    assert.equal(session.place.image, 'good');
    assert.deepEqual(fake.log, ['good']);
  });

  it('closed everywhere tells every place and why, and leaves no pod', async () => {
    const fake = new FakeApi({
      gone: waiting('ErrImageNeverPull', 'not present'),
      odd: { terminated: { exitCode: 128, reason: 'StartError', message: 'exec format error' } },
      taken: 'deleted',
      strict: 'refused',
    });
    const places = [place('gone'), place('odd'), place('taken'), place('strict', 'strict')];
    const failure = await failureOf(open(fake, places));
    assert.match(failure, /gone in csi: ErrImageNeverPull: not present; odd in csi: .*exec format error/);
    assert.match(failure, /taken in csi: .*deleted by somebody else; namespace strict refuses/);
    assert.deepEqual(podsLeft(fake), []);
  });

  it('without any image says what to type', async () => {
    assert.match(await failureOf(open(new FakeApi({}), [])), /name one with --image$/);
  });

  it('that takes too long is given up, and its pod deleted', async () => {
    const fake = new FakeApi({ slow: 'never' });
    const failure = await failureOf(open(fake, [place('slow'), place('next')], AbortSignal.timeout(20)));
    assert.match(failure, /timeout|aborted/);
    assert.deepEqual(podsLeft(fake), []);
  });

  it('that is interrupted while its pod is being made leaves none that appears later', async () => {
    const fake = new FakeApi({ good: running });
    fake.late = 40;
    assert.match(await failureOf(open(fake, [place('good')], AbortSignal.timeout(20))), /timeout|aborted/);
    await sleep(40);
    assert.deepEqual(podsLeft(fake), []);
  });

  it("with somebody else's code in place of the agent is not taken, and nothing of it is left", async () => {
    const fake = new FakeApi({ good: running });
    fake.tampered = true;
    assert.match(await failureOf(open(fake, [place('good')])), /was replaced by somebody else/);
    assert.deepEqual(podsLeft(fake), []);
  });

  it('carries the agent once a namespace, and takes it away at the end', async () => {
    const fake = new FakeApi({ good: running });
    const visit = visitOf(fake.api, [place('good')]);
    const signal = new AbortController().signal;
    await Promise.all([openSession(visit, node, 'read', signal), openSession(visit, node, 'read', signal)]);
    const maps = () => fake.left.filter((path) => path.includes('/configmaps/'));
    assert.equal(maps().length, 1);
    assert.deepEqual(await visit.carriers.remove(), []);
    assert.deepEqual(maps(), []);
  });
});

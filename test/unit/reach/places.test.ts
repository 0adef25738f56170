import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import type { Api } from '../../../src/cluster/api.ts';
import { ApiError } from '../../../src/cluster/errors.ts';
import { nodeName } from '../../../src/model/ids.ts';
import { clientIdentity, hasEnded, holderIdentity } from '../../../src/reach/client-identity.ts';
import { imagesOnNode } from '../../../src/reach/pod/images.ts';
import { Admission, placesOn } from '../../../src/reach/pod/places.ts';
import { isAbandoned, isLeaseAbandoned, sweep } from '../../../src/reach/sweep.ts';

type Pod = Parameters<typeof imagesOnNode>[0][number];

interface PodSketch {
  readonly namespace: string;
  readonly image: string;
  readonly registry?: boolean;
  readonly running?: boolean;
  readonly deleting?: boolean;
  readonly secret?: string;
}

const podOf = ({ namespace, image, registry, running = true, deleting, secret }: PodSketch): Pod => ({
  metadata: { namespace, name: image, ...(deleting && { deletionTimestamp: '2026-01-02T03:04:05Z' }) },
  spec: {
    containers: [{ name: 'c', image }],
    ...(registry && { volumes: [{ name: 'r', hostPath: { path: '/var/lib/kubelet/plugins_registry/' } }] }),
    ...(secret && { imagePullSecrets: [{ name: secret }] }),
  },
  status: {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'c',
        image,
        imageID: '',
        ready: true,
        restartCount: 0,
        state: running ? { running: {} } : { waiting: {} },
      },
    ],
  },
});

const pods = [
  podOf({ namespace: 'apps', image: 'app:1', secret: 'pull' }),
  podOf({ namespace: 'kube-system', image: 'proxy:1' }),
  podOf({ namespace: 'csi', image: 'driver:1', registry: true }),
];
const node = nodeName('worker-1');
const signal = new AbortController().signal;

const apiOf = (parts: Partial<Api>) => parts as Api;
const reading = apiOf({
  list: async () => pods as never,
  get: async () =>
    ({ status: { images: [{ names: ['x@sha256:1', 'other:1'] }, { names: ['proxy:1'] }] } }) as never,
});
const texts = (places: readonly { image: string; namespace: string }[]) =>
  places.map(({ image, namespace }) => `${image} in ${namespace}`);

describe('images on a node', () => {
  it("are the node plugin's first, then those of kube-system, then others", () => {
    assert.deepEqual(texts(imagesOnNode(pods)), [
      'driver:1 in csi',
      'proxy:1 in kube-system',
      'app:1 in apps',
    ]);
  });
  it('keep the Secret that they were pulled with', () => {
    assert.deepEqual(imagesOnNode(pods).at(-1)?.pullSecrets, ['pull']);
  });
  it('are of containers that run, in pods that stay', () => {
    const others = [
      podOf({ namespace: 'a', image: 'waits', running: false }),
      podOf({ namespace: 'a', image: 'ends', deleting: true }),
      { ...podOf({ namespace: 'a', image: 'done' }), status: { phase: 'Succeeded' } },
    ];
    assert.deepEqual(imagesOnNode(others), []);
  });
  it('are named once', () => {
    assert.equal(imagesOnNode([...pods, ...pods]).length, 3);
  });
});

describe('places for the debug pod', () => {
  it('are pods’ own namespaces first, then home, then what else the runtime has', async () => {
    assert.deepEqual(texts(await placesOn(reading, node, {}, signal)), [
      'driver:1 in csi',
      'proxy:1 in kube-system',
      'app:1 in apps',
      'driver:1 in kube-system',
      'app:1 in kube-system',
      'other:1 in kube-system',
    ]);
  });
  it('are all in --debug-namespace where it is given', async () => {
    const places = await placesOn(reading, node, { namespace: 'debug', pullSecrets: ['s'] }, signal);
    assert.deepEqual([...new Set(places.map(({ namespace }) => namespace))], ['debug']);
    assert.deepEqual(places[0]?.pullSecrets, ['s']);
  });
  it('are one where --image is given, and nothing is asked for it', async () => {
    const places = await placesOn(apiOf({}), node, { image: 'mine:1', pullSecrets: ['s'] }, signal);
    assert.deepEqual(places, [{ image: 'mine:1', namespace: 'kube-system', pullSecrets: ['s'] }]);
  });
  it('are those of the runtime where no pod runs', async () => {
    const empty = apiOf({ ...reading, list: async () => [] });
    assert.deepEqual(texts(await placesOn(empty, node, {}, signal)), [
      'other:1 in kube-system',
      'proxy:1 in kube-system',
    ]);
  });
});

describe('admission', () => {
  const run = { id: 'r', client: 'c', expires: 'e', deadline: 1 };
  const place = { image: 'i', namespace: 'apps', pullSecrets: [] };
  const failing = (message: string, status = 403) =>
    apiOf({
      create: async () => {
        throw new ApiError(message, {
          status,
          reason: 'Forbidden',
          verb: 'create',
          group: '',
          resource: 'pods',
          namespace: 'apps',
        });
      },
    });
  const refusalOf = (api: Api) => new Admission(api, run, 'read').refusal(place, node);

  it('is asked of the server by a dry run, once a namespace', async () => {
    const asked: unknown[] = [];
    const create = (async (path: string, _pod: unknown, query: unknown) =>
      void asked.push([path, query])) as never;
    const admission = new Admission(apiOf({ create }), run, 'read');
    assert.equal(await admission.refusal(place, node), undefined);
    assert.equal(await admission.refusal({ ...place, image: 'j' }, node), undefined);
    assert.deepEqual(asked, [['/api/v1/namespaces/apps/pods', { dryRun: 'All' }]]);
  });
  it('refused by Pod Security says which flag and which label would do', async () => {
    const text =
      (await refusalOf(failing('pods "x" is forbidden: violates PodSecurity "restricted:latest"'))) ?? '';
    assert.match(text, /^namespace apps refuses privileged pods/);
    assert.match(text, /--debug-namespace/);
    assert.match(
      text,
      /kubectl label namespace apps --overwrite pod-security\.kubernetes\.io\/enforce=privileged/,
    );
  });
  it('refused by OpenShift names the SCC', async () => {
    const text = await refusalOf(failing('unable to validate against any security context constraint'));
    assert.match(text ?? '', /privileged SCC/);
  });
  it('refused by RBAC names the right', async () => {
    const text = await refusalOf(failing('pods is forbidden'));
    assert.match(text ?? '', /^pods is forbidden\. Ask for the right to create pods/);
  });
});

/** Process ids end at 4194304 (PID_MAX_LIMIT), which no process has. */
const free = '4194304';

/** The identity of another client of this machine, which may say otherwise of itself in some part. */
function clientLike(parts: Partial<Record<'machine' | 'boot' | 'pids' | 'pid' | 'start', string>>): string {
  const [machine, boot, pids, pid, start] = clientIdentity().split('/');
  return Object.values({ machine, boot, pids, pid, start, ...parts }).join('/');
}

describe('a client', () => {
  const linux = process.platform === 'linux';
  it('that lives has not ended', () => {
    assert.match(clientIdentity(), new RegExp(`^${hostname()}/[^/]*/[^/]*/${process.pid}/`));
    assert.equal(hasEnded(clientIdentity()), false);
  });
  const table: readonly (readonly [string, string, boolean])[] = [
    ['whose process id is free', clientLike({ pid: free }), linux],
    ['whose process id is another process by now', clientLike({ start: '1' }), linux],
    ['of this machine under another name', clientLike({ machine: 'renamed', pid: free }), linux],
    ['of another container with the same hostname', clientLike({ pids: '1', pid: free }), false],
    ['of another boot of the same hostname', clientLike({ boot: 'other', pid: free }), false],
    ['of a system without /proc', clientLike({ boot: '', pids: '', pid: free, start: '' }), false],
    ['of a version that said less', `${hostname()}/${free}/77`, false],
    ['that says nothing', '', false],
    ['that says nonsense', clientLike({ pid: 'x' }), false],
    ['without a start', clientLike({ start: '' }), false],
  ];
  for (const [what, client, ended] of table)
    it(`${what} has ${ended ? '' : 'not '}ended for sure`, () => {
      assert.equal(hasEnded(client), ended);
    });
});

describe('the sweep', () => {
  const now = Date.parse('2026-01-02T03:00:00Z');
  const meta = (expires: string, client = 'elsewhere/1/2') => ({
    name: `x-${expires}-${client.length}`,
    namespace: 'csi',
    annotations: { 'kubectl-csi/expires': expires, 'kubectl-csi/client': client },
  });
  it("takes what is past its expiry, and what a dead client of this machine left; never a colleague's", () => {
    assert.equal(isAbandoned(meta('2026-01-02T02:59:59Z'), now), true);
    assert.equal(isAbandoned(meta('2026-01-02T03:00:01Z'), now), false);
    const ended = meta('2026-01-02T03:00:01Z', clientLike({ pid: free }));
    assert.equal(isAbandoned(ended, now), process.platform === 'linux');
    const neighbour = meta('2026-01-02T03:00:01Z', clientLike({ pids: '1', pid: free }));
    assert.equal(isAbandoned(neighbour, now), false);
    assert.equal(isAbandoned(meta('2026-01-02T03:00:01Z', clientIdentity()), now), false);
  });
  const lease = (name: string, renewed: number, holder = 'alice on elsewhere/1/2, run 0') => ({
    metadata: { name },
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: 30,
      renewTime: new Date(now + renewed).toISOString(),
    },
  });
  it('takes a lease that has run out, and one whose healer on this machine has ended', () => {
    assert.equal(isLeaseAbandoned(lease('x', -31_000), now), true);
    assert.equal(isLeaseAbandoned(lease('x', -29_000), now), false);
    const held = (client: string) => isLeaseAbandoned(lease('x', 0, `bob on ${client}, run 0`), now);
    assert.equal(held(clientLike({ pid: free })), process.platform === 'linux');
    assert.equal(held(clientLike({ boot: 'other', pid: free })), false);
    assert.equal(isLeaseAbandoned(lease('x', 0, holderIdentity('bob on call', '0')), now), false);
  });
  it('leaves what does not say when it expires', () => {
    assert.equal(isAbandoned({ name: 'x' }, now), false);
    assert.equal(isAbandoned(meta('never'), now), false);
  });
  it('selects by our label, deletes what is abandoned, and tells what it kept and what failed', async () => {
    const removed: string[] = [];
    const api = apiOf({
      list: (async (path: string, query: { labelSelector?: string }) => {
        assert.equal(query.labelSelector, 'app.kubernetes.io/managed-by=kubectl-csi');
        if (path.endsWith('leases')) return [lease('old', -60_000), lease('new', 0)];
        if (!path.endsWith('pods')) return [{ metadata: { ...meta('2026-01-01T00:00:00Z'), name: 'stuck' } }];
        return [
          { metadata: { ...meta('2026-01-01T00:00:00Z'), name: 'old' } },
          { metadata: { ...meta('2027-01-01T00:00:00Z'), name: 'new' } },
        ];
      }) as never,
      remove: async (path) => {
        if (path.includes('stuck')) throw new Error('finalizer');
        removed.push(path);
      },
    });
    const swept = await sweep(api, signal, now);
    assert.deepEqual(removed.sort(), [
      '/api/v1/namespaces/csi/pods/old',
      '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/old',
    ]);
    assert.deepEqual(swept.removed, ['pod csi/old', 'lease kube-system/old']);
    assert.deepEqual(swept.kept, ['pod csi/new', 'lease kube-system/new']);
    assert.match(swept.failed.join(), /configmaps\/stuck: finalizer/);
  });
});

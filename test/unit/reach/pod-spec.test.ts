import assert from 'node:assert/strict';
import { nodeName } from '../../../src/model/ids.ts';
import { configMapSpec, podSpec } from '../../../src/reach/pod/pod-spec.ts';

const run = { id: 'r1', client: 'host/1/2', expires: '2026-01-02T03:04:05.000Z', deadline: 300 };
const image = { image: 'registry.example/driver:v1', namespace: 'csi', pullSecrets: ['pull'] };
const request = { name: 'kubectl-csi-x', configMap: 'kubectl-csi-m', node: nodeName('worker-1'), image, run };
const read = podSpec({ ...request, access: 'read', command: ['observe'] });
const repair = podSpec({ ...request, access: 'repair', command: ['hold'] });
const [agent] = read.spec?.containers ?? [];

describe('the debug pod', () => {
  it('goes to its node past scheduler and taints, and sees the processes of the node', () => {
    assert.equal(read.spec?.nodeName, 'worker-1');
    assert.deepEqual(read.spec?.tolerations, [{ operator: 'Exists' }]);
    assert.equal(read.spec?.hostPID, true);
  });

  it('needs nothing of its image but that it is there: the agent is the command, nothing is pulled', () => {
    assert.equal(agent?.image, 'registry.example/driver:v1');
    assert.equal(agent?.imagePullPolicy, 'Never');
    assert.deepEqual(agent?.command, ['/kubectl-csi/agent', 'observe']);
    assert.deepEqual(agent?.volumeMounts, [{ name: 'agent', mountPath: '/kubectl-csi', readOnly: true }]);
    assert.deepEqual(read.spec?.volumes, [
      { name: 'agent', configMap: { name: 'kubectl-csi-m', defaultMode: 0o755 } },
    ]);
  });

  it("lies in the image's namespace, with its pull secrets", () => {
    assert.equal(read.metadata?.namespace, 'csi');
    assert.deepEqual(read.spec?.imagePullSecrets, [{ name: 'pull' }]);
  });

  it('mounts no file system of the host: /proc/PID/root of hostPID is enough', () => {
    for (const { spec } of [read, repair])
      assert.deepEqual(
        (spec?.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined),
        [],
      );
  });

  it('holds no token, shares no network, and gets no variables of services', () => {
    assert.equal(read.spec?.automountServiceAccountToken, false);
    assert.equal(read.spec?.enableServiceLinks, false);
    assert.equal(read.spec?.hostNetwork, undefined);
  });

  it('ends by itself, at once, and for good', () => {
    assert.equal(read.spec?.restartPolicy, 'Never');
    assert.equal(read.spec?.activeDeadlineSeconds, 300);
    assert.equal(read.spec?.terminationGracePeriodSeconds, 0);
  });

  it('is found again by what runs later, and left alone by service meshes', () => {
    assert.deepEqual(read.metadata?.labels, {
      'app.kubernetes.io/managed-by': 'kubectl-csi',
      'kubectl-csi/run': 'r1',
    });
    const { annotations = {} } = read.metadata ?? {};
    assert.equal(annotations['kubectl-csi/expires'], run.expires);
    assert.equal(annotations['kubectl-csi/client'], run.client);
    assert.equal(annotations['sidecar.istio.io/inject'], 'false');
    assert.equal(annotations['linkerd.io/inject'], 'disabled');
  });

  it('has for reading no more rights than looking needs', () => {
    const { securityContext } = agent ?? {};
    assert.equal(securityContext?.privileged, undefined);
    assert.equal(securityContext?.allowPrivilegeEscalation, false);
    assert.equal(securityContext?.readOnlyRootFilesystem, true);
    assert.deepEqual(securityContext?.capabilities?.drop, ['ALL']);
    assert.deepEqual(securityContext?.capabilities?.add?.toSorted(), ['DAC_READ_SEARCH', 'SYS_PTRACE']);
  });

  it('is privileged only for repairs', () => {
    assert.equal(repair.spec?.containers[0]?.securityContext?.privileged, true);
  });

  it('runs as root whatever user the image names', () => {
    for (const { spec } of [read, repair]) assert.equal(spec?.containers[0]?.securityContext?.runAsUser, 0);
  });

  it('shares no object with another pod: a client library may change what it is given', () => {
    const other = podSpec({ ...request, access: 'read', command: ['observe'] });
    assert.notEqual(other.spec?.containers[0]?.securityContext, agent?.securityContext);
  });
});

describe('the ConfigMap that carries the agent', () => {
  it('is immutable, binary, and marked as ours', () => {
    const map = configMapSpec('m', 'csi', run, Buffer.from([0, 255]));
    assert.equal(map.immutable, true);
    assert.deepEqual(map.binaryData, { agent: 'AP8=' });
    assert.equal(map.metadata?.labels?.['app.kubernetes.io/managed-by'], 'kubectl-csi');
    assert.equal(map.metadata?.annotations?.['kubectl-csi/expires'], run.expires);
  });
});

import assert from 'node:assert/strict';
import { driverName, hostPath, nodeName } from '../../../src/model/ids.ts';
import type { SecondDriver } from '../../../src/workload/handover.ts';
import { secondKey, secondPod, secondSocket, sharingFault } from '../../../src/workload/second-pod.ts';

const root = hostPath('/var/lib/kubelet');
const driver = driverName('s3.csi.test');
const second: SecondDriver = {
  container: 'driver',
  leftOut: ['registrar', 'liveness-probe'],
  socketVolume: 'plugin',
  socketFolder: hostPath('/var/lib/kubelet/plugins/s3.csi.test'),
  socketName: 'csi.sock',
};
const place = {
  driver,
  node: nodeName('node-1'),
  namespace: 'csi',
  replaces: 'uid-1',
  metadata: { labels: { managed: 'ours' }, annotations: { mesh: 'off' } },
};
const shared = { name: 'kubelet', mountPath: '/var/lib/kubelet', mountPropagation: 'Bidirectional' };

const template = (mounts: readonly object[] = [shared]) =>
  ({
    metadata: { labels: { app: 's3' }, annotations: { version: 'two' } },
    spec: {
      hostNetwork: true,
      nodeSelector: { zone: 'a' },
      affinity: { nodeAffinity: {} },
      serviceAccountName: 's3',
      tolerations: [{ key: 'one' }],
      initContainers: [{ name: 'prepare', livenessProbe: {}, volumeMounts: [{ name: 'tools' }] }],
      containers: [
        {
          name: 'driver',
          livenessProbe: {},
          readinessProbe: {},
          startupProbe: {},
          lifecycle: { preStop: { exec: {} }, postStart: { exec: {} } },
          volumeMounts: [{ name: 'plugin', mountPath: '/csi' }, ...mounts],
        },
        { name: 'registrar', volumeMounts: [{ name: 'registry', mountPath: '/registration' }] },
        { name: 'liveness-probe' },
      ],
      volumes: [
        { name: 'plugin', hostPath: { path: '/var/lib/kubelet/plugins/s3.csi.test' } },
        { name: 'registry', hostPath: { path: '/var/lib/kubelet/plugins_registry' } },
        { name: 'kubelet', hostPath: { path: '/var/lib/kubelet' } },
        { name: 'tools', emptyDir: {} },
      ],
    },
  }) as never;

describe('the second driver’s pod', () => {
  const pod = secondPod(template(), second, place);

  it('is of the template, without registrar, prober, probes and hooks before its end', () => {
    assert.deepEqual(
      pod.spec?.containers.map(({ name }) => name),
      ['driver'],
    );
    const [container] = pod.spec?.containers ?? [];
    assert.deepEqual(Object.keys(container ?? {}).sort(), ['lifecycle', 'name', 'volumeMounts']);
    assert.deepEqual(container?.lifecycle, { postStart: { exec: {} } });
    assert.deepEqual(Object.keys(pod.spec?.initContainers?.[0] ?? {}), ['name', 'volumeMounts']);
    assert.equal(pod.spec?.serviceAccountName, 's3');
    assert.equal(pod.metadata?.annotations?.version, 'two');
  });

  it('has a folder of its own for the socket, and not the registry', () => {
    const volumes = new Map(pod.spec?.volumes?.map((volume) => [volume.name, volume]));
    assert.deepEqual(volumes.get('plugin'), { name: 'plugin', emptyDir: {} });
    assert.deepEqual([...volumes.keys()], ['plugin', 'kubelet', 'tools']);
    assert.equal(
      secondSocket(root, 'uid-2', template(), second),
      '/var/lib/kubelet/pods/uid-2/volumes/kubernetes.io~empty-dir/plugin/csi.sock',
    );
  });

  it('is on the node whatever keeps others away, and lives until it is deleted', () => {
    assert.equal(pod.spec?.nodeName, 'node-1');
    assert.deepEqual(pod.spec?.tolerations, [{ operator: 'Exists' }]);
    assert.equal(pod.spec?.affinity, undefined);
    assert.equal(pod.spec?.nodeSelector, undefined);
    assert.equal(pod.spec?.activeDeadlineSeconds, undefined);
    assert.equal(pod.spec?.restartPolicy, 'Always');
  });

  it('belongs to no controller and no Service, and names what it stands for', () => {
    assert.deepEqual(pod.metadata?.labels, { managed: 'ours', 'kubectl-csi/handover': 's3.csi.test' });
    assert.equal(pod.metadata?.ownerReferences, undefined);
    assert.equal(pod.metadata?.annotations?.['kubectl-csi/replaces'], 'uid-1');
    assert.equal(pod.metadata?.name, secondKey(place).name);
    assert.notEqual(secondKey(place).name, secondKey({ ...place, node: nodeName('node-2') }).name);
  });

  it('is of use only where its mounts arrive on the node', () => {
    const fault = (...mounts: readonly object[]) => sharingFault(template(mounts), second, root, driver);
    assert.equal(fault(shared), undefined);
    assert.match(fault() ?? '', /does not share .*plugins\/kubernetes.io\/csi/);
    assert.match(fault({ ...shared, mountPropagation: 'HostToContainer' }) ?? '', /does not share/);
    assert.match(fault({ ...shared, mountPath: '/host/kubelet' }) ?? '', /does not share/);
    const folder = { name: 'plugin', mountPath: '/csi', mountPropagation: 'Bidirectional' };
    assert.match(fault(shared, folder) ?? '', /may mount volumes there/);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  csiContainers,
  csiVolumes,
  type PodTemplate,
  type VolumeObjects,
} from '../../../src/workload/volumes.ts';

const claim = (name: string, volumeName?: string, storageClassName?: string, namespace = 'shop') => ({
  metadata: { name, namespace },
  spec: { ...(volumeName && { volumeName }), ...(storageClassName !== undefined && { storageClassName }) },
});
const volume = (name: string, driver: string, mountOptions: string[] = []) => ({
  metadata: { name },
  spec: { csi: { driver, volumeHandle: name }, mountOptions },
});
const objects: VolumeObjects = {
  claims: [
    claim('data', 'pv-1'),
    claim('later', undefined, 'fast'),
    claim('plain', undefined),
    claim('tree', 'pv-tree'),
    claim('lost', undefined, 'none'),
    claim('data', 'pv-2', undefined, 'elsewhere'),
    claim('www-web-0', 'pv-2'),
    claim('www-web-extra-0', 'pv-1'),
    claim('p-scratch', 'pv-2'),
  ],
  volumes: [
    volume('pv-1', 's3.csi', ['ro']),
    volume('pv-2', 'nfs.csi', ['hard']),
    { metadata: { name: 'pv-tree' }, spec: { hostPath: { path: '/x' } } },
  ],
  classes: [
    { metadata: { name: 'fast' }, provisioner: 'fast.csi' },
    {
      metadata: {
        name: 'usual',
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
      },
      provisioner: 'usual.csi',
    },
    { metadata: { name: 'local' }, provisioner: 'kubernetes.io/no-provisioner' },
  ],
};
const template = (spec: object, more: Partial<PodTemplate> = {}): PodTemplate => ({
  namespace: 'shop',
  spec: { containers: [], ...spec } as PodTemplate['spec'],
  ...more,
});
const byClaim = (claimName: string) => ({ name: 'v', persistentVolumeClaim: { claimName } });
const driverOf = (source: object, more: Partial<PodTemplate> = {}) =>
  csiVolumes(template({ volumes: [{ name: 'v', ...source }] }, more), objects).map(({ driver }) =>
    driver.seen ? driver.value : driver.why,
  );

describe('the CSI volumes of a pod template', () => {
  const table: readonly (readonly [string, object, readonly string[]])[] = [
    ['by a bound claim', byClaim('data'), ['s3.csi']],
    ['by a claim that waits for its class', byClaim('later'), ['fast.csi']],
    ['by a claim of the default class', byClaim('plain'), ['usual.csi']],
    ['inline', { csi: { driver: 'inline.csi' } }, ['inline.csi']],
    [
      'generic ephemeral',
      { ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'fast' } } } },
      ['fast.csi'],
    ],
    [
      'of a local class: none',
      { ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'local' } } } },
      [],
    ],
    ['of an in-tree volume: none', byClaim('tree'), []],
    ['of an emptyDir: none', { emptyDir: {} }, []],
    ['by a claim that is missing', byClaim('gone'), ['claim shop/gone does not exist']],
    [
      'by a class that is missing',
      byClaim('lost'),
      ['its claim is not bound, and there is no StorageClass "none"'],
    ],
  ];
  for (const [what, source, expected] of table) it(what, () => assert.deepEqual(driverOf(source), expected));

  it('generic ephemeral of a pod: the claim of its own', () => {
    const source = { ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'fast' } } } };
    const [found] = csiVolumes(
      template({ volumes: [{ name: 'scratch', ...source }] }, { pod: 'p' }),
      objects,
    );
    assert.deepEqual(found?.claim, { namespace: 'shop', name: 'p-scratch' });
    assert.deepEqual(found.mountOptions, ['hard']);
  });

  it('of a StatefulSet: what its claims are bound to, else the class of the template', () => {
    const www = { metadata: { name: 'www' }, spec: { storageClassName: 'fast' } };
    const of = (set: string) =>
      csiVolumes(template({}, { claimTemplates: { set, templates: [www] } }), objects).map(
        ({ name, driver }) => `${name} ${driver.seen && driver.value}`,
      );
    assert.deepEqual(of('web'), ['www nfs.csi']);
    assert.deepEqual(of('new'), ['www fast.csi']);
  });
});

describe('the containers that mount CSI volumes', () => {
  const mounts = (name: string, more: object = {}) => ({
    name,
    volumeMounts: [{ name: 'v', mountPath: '/data', ...more }],
  });
  const found = csiContainers(
    template({
      volumes: [byClaim('data'), { name: 'tmp', emptyDir: {} }],
      initContainers: [mounts('setup'), { ...mounts('beside'), restartPolicy: 'Always' }],
      containers: [
        mounts('app', { subPath: 'a', readOnly: true, mountPropagation: 'HostToContainer' }),
        { name: 'none', volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }] },
        { name: 'raw', volumeDevices: [{ name: 'v', devicePath: '/dev/x' }] },
      ],
    }),
    objects,
  );
  it('are named with their role', () => {
    assert.deepEqual(
      found.map(({ name, role }) => `${name} ${role}`),
      ['setup init', 'beside sidecar', 'app app'],
    );
  });
  it('say how they mount', () => {
    const [, , app] = found;
    const [mount] = app?.mounts ?? [];
    assert.equal(mount?.path, '/data');
    assert.deepEqual(
      [mount.subPath, mount.readOnly, mount.propagation, mount.volume.persistentVolume],
      [true, true, 'HostToContainer', 'pv-1'],
    );
  });
});

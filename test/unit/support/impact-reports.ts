import { driverName, nodeName } from '../../../src/model/ids.ts';
import type { Daemon, Protection, Service, VolumeImpact } from '../../../src/model/impact.ts';
import type { BlastRadiusReport, UpgradeCheckReport } from '../../../src/render/report.ts';
import { tollOf } from '../../../src/workload/impact/toll.ts';

const node = nodeName('worker-3.eu-central-1.example');
const driver = driverName('s3.csi.example.com');
const plugin = { namespace: 'kube-system', name: 's3-csi-node-x7k2p' };

const daemon = (pid: number, home: Daemon['home']): Daemon => ({
  pid,
  command: 'geesefs',
  home,
  proof: 'kernel',
});
const served = (...daemons: readonly Daemon[]): readonly Service[] => [
  { by: 'daemons', fsType: 'fuse.geesefs', daemons },
];
const inPlugin = served(daemon(4711, { kind: 'plugin', pod: plugin, container: 'csi-s3' }));

const volume = (
  pod: string,
  services: readonly Service[],
  protection: Protection,
  parts: Partial<VolumeImpact> = {},
): VolumeImpact => ({
  node,
  driver,
  pod: { namespace: 'shop', name: pod },
  volume: 'data',
  services,
  containers: [{ container: 'app', path: '/data', propagation: 'None', probed: false }],
  onPluginRestart: 'survives',
  onKubeletRestart: 'survives',
  protection,
  ...parts,
});

const nothing = { kind: 'nothing' } as const;
const unit = 'geesefs-data.service';

export const volumes: readonly VolumeImpact[] = [
  volume('web-6d5f-abcde', inPlugin, nothing, { workload: 'Deployment/web', onPluginRestart: 'dies' }),
  volume('web-6d5f-fghij', inPlugin, nothing, { workload: 'Deployment/web', onPluginRestart: 'dies' }),
  volume(
    'db-0',
    served(daemon(815, { kind: 'unit', unit })),
    { kind: 'unit', unit },
    { workload: 'StatefulSet/db' },
  ),
  volume('disk-0', [{ by: 'kernel', fsType: 'ext4' }], { kind: 'no-daemon' }),
  volume(
    'batch-x',
    [{ by: 'unknown', fsType: 'fuse.s3fs', why: '2 processes of the node could not be looked into' }],
    { kind: 'unknown' },
    { workload: 'CronJob/batch', onPluginRestart: 'unknown', onKubeletRestart: 'unknown' },
  ),
  volume('old-0', [{ by: 'nobody', fsType: 'fuse.geesefs' }], nothing, {
    onPluginRestart: 'dead',
    onKubeletRestart: 'dead',
  }),
];

export const blastRadius: BlastRadiusReport = {
  kind: 'BlastRadius',
  takenAt: '2026-01-02T03:04:05.000Z',
  plugins: [
    {
      node,
      driver,
      pod: `${plugin.namespace}/${plugin.name}`,
      daemonSet: 'kube-system/s3-csi-node',
      onPluginRestart: tollOf(volumes, ({ onPluginRestart }) => onPluginRestart),
      onKubeletRestart: tollOf(volumes, ({ onKubeletRestart }) => onKubeletRestart),
    },
  ],
  volumes,
  unseen: [{ node: 'worker-4', why: 'no answer within 30 s' }],
};

export const upgradeCheck: UpgradeCheckReport = {
  kind: 'UpgradeCheck',
  takenAt: blastRadius.takenAt,
  daemonSet: 'kube-system/s3-csi-node',
  drivers: [driver],
  strategy: { type: 'RollingUpdate', maxUnavailable: '10%' },
  nodes: [
    {
      node,
      pod: `${plugin.namespace}/${plugin.name}`,
      revision: 'old',
      toll: tollOf(volumes, ({ onPluginRestart }) => onPluginRestart),
    },
    {
      node: 'worker-4',
      pod: 'kube-system/s3-csi-node-b2b2b',
      revision: undefined,
      toll: tollOf([], () => 'dies'),
    },
  ],
  volumes,
  unseen: blastRadius.unseen,
  verdict: 'kills',
  handover: {
    possible: false,
    reasons: [
      'container csi-s3: its argument --metrics-address=:8080 takes a port of the node, which only one can have',
    ],
  },
  next: [
    'kubectl rollout restart daemonset/s3-csi-node -n kube-system',
    `kubectl csi remount --driver ${driver}`,
  ],
};

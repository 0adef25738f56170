import type { DriverSpec } from '../../cluster/index.ts';

const notAttached = { attachRequired: false };
const allCapabilities = ['--staging', '--volume-mount-group', '--single-node-multi-writer'];

/** An audience with every character that JSON as Go writes it escapes. */
export const oddAudience = 'vault <&> "q"';

/** The classes of drivers, each under the name `CLASS.csi.test`. All bind folders, and record every request. */
const classes = {
  plain: { csiDriver: notAttached },
  staged: { driverArgs: ['--staging'], csiDriver: notAttached },
  capable: { driverArgs: allCapabilities, csiDriver: notAttached },
  informed: { driverArgs: ['--staging'], csiDriver: { ...notAttached, podInfoOnMount: true } },
  tokens: {
    csiDriver: {
      ...notAttached,
      podInfoOnMount: true,
      tokenRequests: [
        { audience: oddAudience, expirationSeconds: 7200 },
        { audience: '' },
        { audience: 'a.b' },
      ],
    },
  },
  file: { csiDriver: { ...notAttached, fsGroupPolicy: 'File' } },
  none: { csiDriver: { ...notAttached, fsGroupPolicy: 'None' } },
  attached: { driverArgs: ['--staging'], csiDriver: { attachRequired: true } },
  /** There is no CSIDriver of it. */
  undeclared: { driverArgs: ['--staging'], csiDriver: { attachRequired: true } },
  /** Kubernetes 1.35 and later. */
  'secret-tokens': {
    csiDriver: {
      ...notAttached,
      tokenRequests: [{ audience: 'vault' }],
      serviceAccountTokenInSecrets: true,
    },
  },
} as const satisfies Record<string, Omit<DriverSpec, 'name'>>;

export type DriverClass = keyof typeof classes;

export const driverName = (name: DriverClass) => `${name}.csi.test`;

export const driverNamespace = 'csi';

export const driverSpec = (name: DriverClass): DriverSpec => ({
  name: driverName(name),
  namespace: driverNamespace,
  mode: 'bind',
  ...classes[name],
});

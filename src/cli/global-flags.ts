import type { Options } from 'yargs';
import type { ConnectOptions } from '../cluster/connect.ts';
import { parseDuration } from './duration.ts';

/** kubectl's own global flags, with kubectl's names and meanings. */
export const globalFlags = {
  kubeconfig: { type: 'string', describe: 'Path to the kubeconfig file' },
  context: { type: 'string', describe: 'The kubeconfig context to use' },
  cluster: { type: 'string', describe: 'The kubeconfig cluster to use' },
  user: { type: 'string', describe: 'The kubeconfig user to use' },
  server: { type: 'string', alias: 's', describe: 'Address of the API server' },
  token: { type: 'string', describe: 'Bearer token for the API server' },
  as: { type: 'string', describe: 'User to impersonate' },
  'as-group': { type: 'string', array: true, describe: 'Group to impersonate, may be repeated' },
  'as-uid': { type: 'string', describe: 'UID to impersonate' },
  'request-timeout': {
    type: 'string',
    default: '30s',
    describe: 'Longest wait for one request; 0 waits for ever',
  },
  'tls-server-name': { type: 'string', describe: "Name to expect in the server's certificate" },
  'insecure-skip-tls-verify': { type: 'boolean', describe: "Do not check the server's certificate" },
} as const satisfies Record<string, Options>;

/** Flags as yargs parsed them: kebab-case keys. */
export type Flags = Readonly<Record<string, unknown>>;

export const text = (flags: Flags, name: string) => flags[name] as string | undefined;

export const connectOptions = (flags: Flags, env: NodeJS.ProcessEnv, version: string): ConnectOptions => ({
  kubeconfig: text(flags, 'kubeconfig'),
  context: text(flags, 'context'),
  cluster: text(flags, 'cluster'),
  user: text(flags, 'user'),
  server: text(flags, 'server'),
  token: text(flags, 'token'),
  as: text(flags, 'as'),
  asGroups: flags['as-group'] as readonly string[] | undefined,
  asUid: text(flags, 'as-uid'),
  requestTimeoutMs: parseDuration('request-timeout', text(flags, 'request-timeout') ?? '30s'),
  tlsServerName: text(flags, 'tls-server-name'),
  insecureSkipTlsVerify: flags['insecure-skip-tls-verify'] as boolean | undefined,
  userAgent: `kubectl-csi/${version}`,
  env,
});

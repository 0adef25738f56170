import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { KubeconfigError } from '../errors.ts';
import type { ClusterEntry, ExecEntry } from './kubeconfig.ts';

/** `status` of an ExecCredential (client.authentication.k8s.io). */
export interface ExecCredential {
  readonly token?: string;
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
  /** RFC 3339. */
  readonly expirationTimestamp?: string;
}

/** A log-in in a browser may take a person a while. */
const timeLimitMs = 120_000;

/**
 * Runs the kubeconfig's exec plugin once.
 * Protocol: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 * @throws KubeconfigError when it is missing (with the kubeconfig's own installHint), fails, or answers nonsense.
 */
export async function runExecPlugin(
  exec: ExecEntry,
  cluster: ClusterEntry,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ExecCredential> {
  if (!exec.command)
    throw new KubeconfigError("the kubeconfig's exec plugin has no command", 'Repair the user entry.');
  const answer = parseCredential(exec, await output(exec, pluginEnv(exec, cluster, env)));
  if (answer.token || (answer.clientCertificateData && answer.clientKeyData)) return answer;
  throw new KubeconfigError(
    `the exec plugin ${exec.command} gave neither a token nor a client certificate with its key`,
    `Run it by hand to see what it answers: ${commandLine(exec)}`,
  );
}

const commandLine = (exec: ExecEntry) => [exec.command, ...(exec.args ?? [])].join(' ');

function pluginEnv(
  exec: ExecEntry,
  cluster: ClusterEntry,
  env: Readonly<Record<string, string | undefined>>,
) {
  const info = {
    apiVersion: exec.apiVersion ?? 'client.authentication.k8s.io/v1beta1',
    kind: 'ExecCredential',
    spec: {
      interactive: interactive(exec),
      ...(exec.provideClusterInfo && { cluster: clusterInfo(cluster) }),
    },
  };
  const own = Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value]));
  return { ...env, ...own, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
}

const interactive = (exec: ExecEntry) => exec.interactiveMode !== 'Never' && Boolean(process.stdin.isTTY);

function clusterInfo(cluster: ClusterEntry) {
  const config = cluster.extensions?.find(
    ({ name }) => name === 'client.authentication.k8s.io/exec',
  )?.extension;
  return {
    server: cluster.server,
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
    'certificate-authority-data': cluster['certificate-authority-data'],
    'proxy-url': cluster['proxy-url'],
    config,
  };
}

interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  /** Exit code or the signal's name. */
  readonly end: number | string;
}

async function output(exec: ExecEntry, env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout, stderr, end } = await run(exec, env);
  if (end === 0) return stdout;
  const said = stderr.trim().split('\n').at(-1) || `it ended with ${end}`;
  const why = end === 'SIGTERM' ? `gave no answer in ${timeLimitMs / 1000} s` : `failed: ${said}`;
  const next = `Log in again, then run it by hand: ${commandLine(exec)}`;
  throw new KubeconfigError(`the exec plugin ${exec.command} ${why}`, next);
}

/** A person at the terminal sees what the plugin says and can answer: a log-in by device code, a password. */
function run(exec: ExecEntry, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const person = interactive(exec);
  const stdin = person ? 'inherit' : 'ignore';
  const options = { env, timeout: timeLimitMs };
  const child = spawn(exec.command, [...(exec.args ?? [])], { ...options, stdio: [stdin, 'pipe', 'pipe'] });
  if (person) child.stderr.pipe(process.stderr, { end: false });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(notStarted(exec, error)));
    child.once('close', (code, signal) =>
      resolve({ stdout: stdout(), stderr: stderr(), end: signal ?? code ?? -1 }),
    );
  });
}

function collect(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

function notStarted(exec: ExecEntry, error: NodeJS.ErrnoException): KubeconfigError {
  const missing = error.code === 'ENOENT';
  const what = missing ? 'is not installed' : `cannot be started: ${error.message}`;
  const hint = missing && exec.installHint?.trim().replaceAll(/\s+/g, ' ');
  const next = hint || `Install ${exec.command}, or put it on PATH.`;
  return new KubeconfigError(`the kubeconfig's exec plugin ${exec.command} ${what}`, next, { cause: error });
}

function parseCredential(exec: ExecEntry, text: string): ExecCredential {
  try {
    const answer = JSON.parse(text) as { kind?: string; status?: ExecCredential };
    if (answer.kind === 'ExecCredential' && answer.status) return answer.status;
  } catch {
    // Falls through to the same words: what came is no ExecCredential.
  }
  throw new KubeconfigError(
    `the exec plugin ${exec.command} did not answer with an ExecCredential`,
    `Run it by hand to see what it answers: ${commandLine(exec)}`,
  );
}

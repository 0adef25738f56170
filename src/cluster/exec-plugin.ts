import { type ExecFileException, execFile } from 'node:child_process';
import { errorText, KubeconfigError } from './errors.ts';
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

function output(exec: ExecEntry, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env, timeout: timeLimitMs, maxBuffer: 4 << 20 };
    const child = execFile(exec.command, [...(exec.args ?? [])], options, (error, stdout, stderr) =>
      error ? reject(pluginFailure(exec, error, stderr)) : resolve(stdout),
    );
    child.stdin?.end();
  });
}

function pluginFailure(exec: ExecEntry, error: ExecFileException, stderr: string) {
  const options = { cause: error };
  if (error.code === 'ENOENT') {
    const hint = exec.installHint?.trim().replaceAll(/\s+/g, ' ');
    const next = hint || `Install ${exec.command}, or put it on PATH.`;
    return new KubeconfigError(
      `the kubeconfig's exec plugin ${exec.command} is not installed`,
      next,
      options,
    );
  }
  const said = stderr.trim().split('\n').at(-1) || errorText(error);
  const why = error.killed ? `gave no answer in ${timeLimitMs / 1000} s` : `failed: ${said}`;
  return new KubeconfigError(
    `the exec plugin ${exec.command} ${why}`,
    `Log in again, then run it by hand: ${commandLine(exec)}`,
    options,
  );
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

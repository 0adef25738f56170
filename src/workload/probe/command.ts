import { agentArgs } from '../../protocol/protocol.gen.ts';

/** What a container's image has, as far as a probe may use it. */
export interface Tools {
  readonly shell: boolean;
  /** GNU's own: it ends itself too when its time is up, so that nothing waits for a process that cannot be ended. */
  readonly gnuTimeout: boolean;
  readonly sleep: boolean;
  /** `stat -f`: statfs. */
  readonly stat: boolean;
  readonly df: boolean;
  /** What can ask by HTTP. */
  readonly fetch: 'wget' | 'curl' | undefined;
}

/** Where the agent is in a container that has it mounted. */
export const binaryFolder = '/.kubectl-csi';
export const probeBinary = `${binaryFolder}/agent`;

/**
 * Asks whether paths answer, within a time; exit code 0 when all do. A dead FUSE mount answers ENOTCONN to statfs and
 * to open, always; plain `stat` and `test -e` may be answered from the attribute cache and are of no use, and `ls`
 * reads a directory that may be huge.
 */
export function probeCommand(paths: readonly string[], tools: Tools, limit: number): readonly string[] {
  const ordered = outerFirst(paths);
  if (tools.gnuTimeout && tools.stat && !ordered.some((path) => ordered.some(isInside(path))))
    return ['sh', '-c', gnuScript(limit), 'mounts', ...ordered];
  return ['sh', '-c', shellScript(checkOf(tools), tools.sleep ? limit : undefined), 'mounts', ...ordered];
}

/** What needs a shell and nothing that every shell's image lacks; for containers that nobody could ask. */
export const portableCommand = (paths: readonly string[], limit: number): readonly string[] => [
  'sh',
  '-c',
  shellScript(portableCheck, limit),
  'mounts',
  ...outerFirst(paths),
];

/** The node agent in the container: needs nothing of the image. */
export const binaryCommand = (paths: readonly string[], limit: number): readonly string[] => [
  probeBinary,
  ...agentArgs.probe({ path: outerFirst(paths), deadline: limit * 1000 }),
];

/** A lookup inside a dead mount makes the kernel unmount what is nested in it: the outer one is asked before. */
const outerFirst = (paths: readonly string[]) => {
  const plain = paths.map((path) => (path.length > 1 ? path.replace(/\/+$/, '') : path));
  return [...new Set(plain)].sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
};
const depth = (path: string) => path.split('/').length;
const isInside = (outer: string) => (inner: string) => inner !== outer && inner.startsWith(`${outer}/`);

const checks = {
  stat: 'stat -f "$p"',
  df: 'df "$p"',
  // Opens a directory without reading it. `true` is no special builtin: a failed redirection does not end the shell.
  open: 'true <"$p"',
} as const;

const checkOf = ({ stat, df }: Tools) => (stat ? checks.stat : df ? checks.df : checks.open);

const portableCheck = [
  `if command -v stat; then ${checks.stat}`,
  `elif command -v df; then ${checks.df}`,
  `else ${checks.open}; fi`,
].join('; ');

/** What it leaves when its time is up may be a process that nothing can end: that one holds no stream of ours. */
const gnuScript = (limit: number) =>
  `timeout -s KILL ${limit} stat -f "$@" >/dev/null 2>&1 || { echo "dead or hung: $*"; exit 1; }`;

/**
 * One path after the other, in a process beside a timer: whichever ends first decides. The shell waits for the timer
 * only, so that it ends in time although a process that the kernel cannot end is left; that one holds none of its
 * streams. It needs no `timeout`, whose busybox form leaves a process to PID 1 each time.
 * @param limit seconds; without it kubelet's own time-out is the only one
 */
function shellScript(check: string, limit: number | undefined): string {
  if (limit === undefined) return `for p; do ${check} || exit 1; done >/dev/null`;
  return [
    `sleep ${limit} & t=$!`,
    '(for p; do',
    `  ${check} || { kill $t; exit 1; }`,
    'done; kill $t) >/dev/null 2>&1 & c=$!',
    `wait $t && { kill -9 $c; echo "no answer in ${limit} s: $*"; exit 1; }`,
    'wait $c || { echo "dead: $*"; exit 1; }',
  ].join('\n');
}

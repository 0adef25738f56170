import { readFileSync } from 'node:fs';
import type { ClusterNode } from '../../../cluster/index.ts';

/** A mount of a container, as proc_pid_mountinfo(5) has it, without what is new with every mount. */
export interface Mount {
  readonly path: string;
  readonly root: string;
  readonly options: string;
  /** Without the numbers of peer groups. */
  readonly propagation: readonly string[];
  readonly type: string;
}

/** The mounts on and below these paths in the mount namespace of a container. */
export function mountsOf(node: ClusterNode, containerId: string, paths: readonly string[]): readonly Mount[] {
  const [process] = node.containerProcesses(containerId);
  if (!process) throw new Error(`container ${containerId} does not run on ${node.name}`);
  return readFileSync(`/proc/${process.pid}/mountinfo`, 'latin1')
    .split('\n')
    .filter(Boolean)
    .map(parse)
    .filter(({ path }) => paths.some((each) => path === each || path.startsWith(`${each}/`)))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function parse(line: string): Mount {
  const fields = line.split(' ');
  const dash = fields.indexOf('-', 6);
  const [, , , root = '', path = '', options = ''] = fields;
  return {
    path: unescapeOctal(path),
    root: unescapeOctal(root),
    options,
    propagation: fields.slice(6, dash).map((tag) => tag.replace(/:\d+$/, '')),
    type: fields[dash + 1] ?? '',
  };
}

/** Space, tab, newline and backslash are octal; every other byte is itself. */
const unescapeOctal = (text: string) =>
  Buffer.from(
    text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    'latin1',
  ).toString('utf8');

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterNode } from '../../../cluster/index.ts';

/** One attempt of io-app on one path: test/cluster/driver/README.md. */
export interface Attempt {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Which start of the container it belongs to: 0 is the first. */
  readonly start: number;
  readonly n: number;
  readonly path: string;
  readonly op: string;
  readonly ok: boolean;
  readonly errno: string;
  readonly detail: string;
  /** Milliseconds that it took. */
  readonly ms: number;
}

/**
 * All attempts of a container, from the files that the container runtime writes: `SEQUENCE.log` a start, in the format
 * `TIME STREAM TAG TEXT` (kubernetes.io/docs/concepts/cluster-administration/logging).
 */
export function attemptsOf(
  node: ClusterNode,
  namespace: string,
  pod: string,
  container: string,
): readonly Attempt[] {
  const logs = node.hostPath('/var/log/pods');
  const folders = names(logs).filter((name) => name.startsWith(`${namespace}_${pod}_`));
  return folders.flatMap((folder) => {
    const place = join(logs, folder, container);
    return names(place).flatMap((file) => attemptsIn(join(place, file), Number.parseInt(file, 10)));
  });
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  } catch {
    return [];
  }
}

function attemptsIn(file: string, start: number): readonly Attempt[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const json = /^\S+ stdout F (\{.*\})$/.exec(line)?.[1];
      return json === undefined ? [] : [attempt(JSON.parse(json), start)];
    });
}

interface Line extends Omit<Attempt, 'at' | 'start' | 'errno' | 'detail'> {
  readonly t: string;
  readonly errno?: string;
  readonly detail?: string;
}

const attempt = ({ t, errno = '', detail = '', ...rest }: Line, start: number): Attempt => ({
  ...rest,
  at: Date.parse(t),
  start,
  errno,
  detail,
});

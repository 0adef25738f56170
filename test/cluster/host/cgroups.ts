import { readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where the cgroup hierarchies are mounted: one in version 2, one per controller in version 1. */
export function hierarchies(): string[] {
  const lines = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [, path, type] = line.split(' ');
    return path !== undefined && (type === 'cgroup' || type === 'cgroup2') ? [path] : [];
  });
}

/** Removes the cgroup of this name from every hierarchy, with all below it; no process may be left in them. */
export function removeCgroup(name: string): void {
  for (const hierarchy of hierarchies()) removeTree(join(hierarchy, name));
}

function removeTree(path: string): void {
  for (const entry of subfolders(path)) removeTree(join(path, entry));
  try {
    rmdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function subfolders(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
  } catch {
    return [];
  }
}

/** The processes of a cgroup, as ids of this machine. */
export function processesIn(name: string): number[] {
  const pids = hierarchies().flatMap((hierarchy) => {
    try {
      return readFileSync(join(hierarchy, name, 'cgroup.procs'), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map(Number);
    } catch {
      return [];
    }
  });
  return [...new Set(pids)];
}

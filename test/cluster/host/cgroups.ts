import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the cgroup hierarchies are mounted: one in version 2, one per controller in version 1. */
export function hierarchies(): string[] {
  const lines = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  return lines.flatMap((line) => {
    const [, path, type] = line.split(' ');
    return path !== undefined && (type === 'cgroup' || type === 'cgroup2') ? [path] : [];
  });
}

/** Makes a cgroup in every hierarchy, with all its parents. */
export function createCgroup(name: string): void {
  for (const hierarchy of hierarchies()) {
    name.split('/').reduce((parent, part) => {
      createChild(parent, join(parent, part));
      return join(parent, part);
    }, hierarchy);
  }
}

/** A new group of cpuset (version 1) has no processors, one of version 2 no controllers: both as the parent has. */
function createChild(parent: string, child: string): void {
  mkdirSync(child, { recursive: true });
  for (const file of ['cpuset.cpus', 'cpuset.mems']) copyInto(child, file, read(parent, file));
  const controllers = read(parent, 'cgroup.subtree_control').split(' ').filter(Boolean);
  copyInto(child, 'cgroup.subtree_control', controllers.map((controller) => `+${controller}`).join(' '));
}

function copyInto(folder: string, file: string, value: string): void {
  if (value !== '' && existsSync(join(folder, file))) writeFileSync(join(folder, file), value);
}

function read(folder: string, file: string): string {
  return existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8').trim() : '';
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

/** The processes in a cgroup and in those below it, as ids of this machine. */
export function processesIn(name: string): number[] {
  return [...new Set(hierarchies().flatMap((hierarchy) => processesBelow(join(hierarchy, name))))];
}

function processesBelow(path: string): number[] {
  const here = read(path, 'cgroup.procs').split('\n').filter(Boolean).map(Number);
  return [...here, ...subfolders(path).flatMap((entry) => processesBelow(join(path, entry)))];
}

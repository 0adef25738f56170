import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes an object where only its user can read it: it may hold secrets. @returns the file's path */
export async function keepManifest(name: string, object: object): Promise<string> {
  const path = join(tmpdir(), `kubectl-csi-${name}-${randomUUID()}.json`);
  await writeFile(path, `${JSON.stringify(object, undefined, 2)}\n`, { flag: 'wx', mode: 0o600 });
  return path;
}

export const dropManifest = (path: string): Promise<void> => rm(path, { force: true });

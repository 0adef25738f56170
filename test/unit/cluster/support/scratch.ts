import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of this test run, gone when the process ends. */
export const scratch = mkdtempSync(join(tmpdir(), 'kubectl-csi-unit-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));

let count = 0;

/** Writes a file with a name of its own and returns its path. */
export function writeScratch(text: string, { mode = 0o600, name = 'file' } = {}): string {
  count += 1;
  const path = join(scratch, `${count}-${name}`);
  writeFileSync(path, text, { mode });
  return path;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'mocha';

const folders: string[] = [];

/** A folder that is gone after the tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-csi-test-'));
  folders.push(folder);
  return folder;
}

after(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

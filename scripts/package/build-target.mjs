// One platform's executable and archive.
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeArchive } from './archive.mjs';
import { makeExecutable } from './executable.mjs';
import { writeCodeCache } from './program.mjs';

/**
 * Writes FOLDER/ARCHIVE, and what is in it into FOLDER/ID.
 *
 * @param {object} target
 * @param {{ folder: string, parts: object, nodes: Record<string, { binary: string, original: string }>, log: (line: string) => void }} build
 */
export async function buildTarget(target, { folder, parts, nodes, log }) {
  const work = mkdtempSync(join(folder, '.work-'));
  try {
    const cache = join(work, 'code-cache');
    const cached = await writeCodeCache(target, nodes[target.id].original, parts.program, cache);
    const assets = { ...parts.assets, ...(cached && { 'code-cache': cache }) };
    const binaries = Object.fromEntries(Object.entries(nodes).map(([id, { binary }]) => [id, binary]));
    const output = join(work, target.program);
    log(`making ${target.id}`);
    await makeExecutable({ target, nodes: binaries, assets, output });
    chmodSync(output, 0o755);
    const files = [
      { name: target.program, executable: true },
      { name: 'LICENSE' },
      { name: 'THIRD-PARTY-LICENSES' },
    ];
    for (const name of ['LICENSE', 'THIRD-PARTY-LICENSES']) cpSync(parts.assets[name], join(work, name));
    await writeArchive(join(folder, target.archive), work, files);
    for (const { name } of files) cpSync(join(work, name), join(folder, target.id, name));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

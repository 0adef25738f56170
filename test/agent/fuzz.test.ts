import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { agentInputsDigest, agentSources } from '../../scripts/build-agent.mjs';
import { ensureDebianPackages } from '../../scripts/setup/debian.mjs';
import { cached } from './binaries.ts';
import { run } from './sandbox.ts';

const harness = join(import.meta.dirname, 'fuzz', 'parsers.c');
const corpus = join(import.meta.dirname, 'corpus');

async function buildFuzzer(): Promise<string> {
  await ensureDebianPackages(['clang-14', 'libclang-rt-14-dev', 'libc6-dev'], console.error);
  const digest = createHash('sha256').update(agentInputsDigest()).update(readFileSync(harness)).digest('hex');
  const folder = await cached('agent-fuzz', digest.slice(0, 16), async (fresh) => {
    const include = join(import.meta.dirname, '../../agent/src');
    const sources = agentSources().filter((path: string) => basename(path) !== 'main.c');
    const flags = ['-std=c17', '-D_GNU_SOURCE', '-DAGENT_VERSION="fuzz"', '-O1', '-g', `-I${include}`];
    const checks = ['-fsanitize=fuzzer,address,undefined', '-fno-sanitize-recover=all'];
    await promisify(execFile)('clang-14', [
      ...flags,
      ...checks,
      '-o',
      join(fresh, 'parsers'),
      harness,
      ...sources,
    ]);
  });
  return join(folder, 'parsers');
}

describe('agent parsers', () => {
  it('withstand arbitrary bytes', async function () {
    this.timeout(600_000);
    const fuzzer = await buildFuzzer();
    const found = await mkdtemp(join(tmpdir(), 'agent-fuzz-'));
    try {
      const limits = ['-max_total_time=4', '-seed=1', '-max_len=2048', `-artifact_prefix=${found}/`];
      const { code, stderr } = await run(fuzzer, [...limits, found, corpus], { timeoutMs: 60_000 });
      assert.equal(code, 0, stderr.slice(-3000));
      assert.ok(Number(/Done (\d+) runs/.exec(stderr)?.[1]) > 1000, stderr.slice(-500));
    } finally {
      await rm(found, { recursive: true, force: true });
    }
  });
});

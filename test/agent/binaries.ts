import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { agentInputsDigest, agentSources, agentVersion, buildAgents } from '../../scripts/build-agent.mjs';
import { ensureDebianPackages } from '../../scripts/setup/debian.mjs';
import { cacheFolder } from '../../scripts/setup/zig.mjs';

const run = promisify(execFile);

const helperFolder = join(import.meta.dirname, 'helpers');
const helperNames = ['kubelet', 'listener', 'hung-mount', 'with-pid'] as const;

const warnings = ['-std=c17', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Werror', '-g'];
const sanitizers = [
  '-O1',
  '-fsanitize=address,undefined',
  '-fno-sanitize-recover=all',
  '-fno-omit-frame-pointer',
];

export interface Binaries {
  /** The agents as they are shipped, by architecture. */
  readonly shipped: Readonly<Record<string, string>>;
  /** This machine's agent with the address and undefined-behaviour sanitizers and with crash points. */
  readonly sanitized: string;
  readonly kubelet: string;
  readonly listener: string;
  readonly hungMount: string;
  readonly withPid: string;
}

let built: Promise<Binaries> | undefined;

/** Builds what the agent's tests run, once per process and only when sources changed. */
export function binaries(): Promise<Binaries> {
  built ??= build();
  return built;
}

async function build(): Promise<Binaries> {
  await ensureDebianPackages(['gcc', 'libc6-dev'], console.error);
  const shipped = await buildAgents({ log: console.error });
  const folder = await cached('agent-test', testDigest(), async (fresh) => {
    const version = `-DAGENT_VERSION="${agentVersion()}"`;
    const flags = [...warnings, ...sanitizers, version, '-DCRASH_POINTS'];
    await run('gcc', [...flags, '-o', join(fresh, 'agent-sanitized'), ...agentSources()]);
    for (const name of helperNames) {
      await run('gcc', [...warnings, '-O1', '-o', join(fresh, name), join(helperFolder, `${name}.c`)]);
    }
  });
  const [kubelet, listener, hungMount, withPid] = helperNames.map((name) => join(folder, name));
  if (!kubelet || !listener || !hungMount || !withPid) throw new Error('a helper is missing');
  return { shipped, sanitized: join(folder, 'agent-sanitized'), kubelet, listener, hungMount, withPid };
}

function testDigest(): string {
  const digest = createHash('sha256')
    .update(agentInputsDigest())
    .update(JSON.stringify([warnings, sanitizers]));
  for (const name of helperNames) digest.update(readFileSync(join(helperFolder, `${name}.c`)));
  return digest.digest('hex').slice(0, 16);
}

/** A folder of the cache, filled once; an interrupted build is never taken for a finished one. */
export async function cached(
  kind: string,
  digest: string,
  fill: (fresh: string) => Promise<void>,
): Promise<string> {
  const folder = cacheFolder(kind, digest);
  if (existsSync(folder)) return folder;
  await mkdir(cacheFolder(kind), { recursive: true });
  const fresh = await mkdtemp(`${folder}.`);
  try {
    await fill(fresh);
    await rename(fresh, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // somebody else was faster
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return folder;
}

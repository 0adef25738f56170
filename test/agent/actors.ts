import { join } from 'node:path';
import { binaries } from './binaries.ts';
import type { Background, Sandbox } from './sandbox.ts';

/** A process named kubelet that watches plugins_registry and says what it registers. */
export async function startKubelet(sandbox: Sandbox): Promise<Background> {
  const { kubelet } = await binaries();
  return sandbox.start([kubelet, `--root-dir=${sandbox.root}`], 'watching');
}

/** Listens on a socket in plugins_registry: echoes, or never accepts (`mute`). */
export async function startListener(
  sandbox: Sandbox,
  name: string,
  mode: 'echo' | 'mute' = 'echo',
): Promise<Background> {
  const { listener } = await binaries();
  return sandbox.start([listener, join(sandbox.registry, name), mode]);
}

/** Leaves a socket in plugins_registry that nobody listens on. */
export async function leaveSocket(sandbox: Sandbox, name: string): Promise<void> {
  const { listener } = await binaries();
  const { code } = await sandbox.run([listener, join(sandbox.registry, name), 'stale']);
  if (code !== 0) throw new Error(`the socket ${name} was not made`);
}

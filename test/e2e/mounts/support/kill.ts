import type { Scene } from './scene.ts';

/** Ends all processes of a container; kubelet starts it again where the pod wants it. */
export async function killContainer(scene: Scene, pod: string, container = 'app'): Promise<void> {
  const found = scene.pods.find(({ name }) => name === pod);
  const running = (await scene.running()).get(`${pod}/${container}`);
  if (!found || !running) throw new Error(`container ${container} of pod ${pod} does not run`);
  for (const { pid } of scene.nodeOf(found).containerProcesses(running.id)) process.kill(pid, 'SIGKILL');
}

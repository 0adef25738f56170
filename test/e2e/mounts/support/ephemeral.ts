import assert from 'node:assert/strict';
import { type AppContainer, containerObject } from './pods.ts';
import type { Scene } from './scene.ts';

/** Adds an ephemeral container to a running pod, as kubectl debug does, but with volume mounts. */
export async function addEphemeral(scene: Scene, podName: string, container: AppContainer): Promise<void> {
  const { cluster } = scene.shared;
  const index = scene.pods.findIndex(({ name }) => name === podName);
  const pod = scene.pods[index];
  assert.ok(pod, `no pod ${podName}`);
  const path = `/api/v1/namespaces/${scene.namespace}/pods/${podName}`;
  const object = await cluster.kubectlJson<{ spec: object }>(['get', 'pod', '-n', scene.namespace, podName]);
  const ephemeralContainers = [
    { ...containerObject(pod, container), targetContainerName: pod.containers[0]?.name },
  ];
  const { code, stderr } = await cluster.kubectl(
    ['replace', '--raw', `${path}/ephemeralcontainers`, '-f', '-'],
    JSON.stringify({ ...object, spec: { ...object.spec, ephemeralContainers } }),
  );
  assert.equal(code, 0, stderr);
  scene.pods[index] = { ...pod, containers: [...pod.containers, container] };
}

import type { NodeView, VolumeView } from '../../diagnose/view.ts';
import { first } from '../../protocol/answers.ts';
import { agentArgs } from '../../protocol/protocol.gen.ts';
import { noteUnguarded, readGuards } from '../journal.ts';
import type { NodePort } from '../ports.ts';
import { placeOf } from '../registration.ts';

/** Takes the guard off a directory, also beneath a mount. @returns the mounts on it */
export async function unguard(node: NodePort, view: NodeView, target: string): Promise<number> {
  const { kubelet, root } = placeOf(view);
  const where = { at: kubelet.pid, startTicks: kubelet.startTicks, root: root.path };
  return first(await node.agent(agentArgs.unguard({ ...where, target })), 'unguarded').layers;
}

/** The guards on these paths of which the journals on the node know. */
export async function guardsOn(node: NodePort, places: ReadonlySet<string>) {
  return (await readGuards(node)).filter(({ target }) => places.has(target));
}

/** Takes the guards off that repairs which were cut off have left beneath what is mounted on these paths now. */
export async function unguardAll(node: NodePort, view: NodeView, places: ReadonlySet<string>): Promise<void> {
  for (const guard of await guardsOn(node, places))
    await noteUnguarded(node, guard, await unguard(node, view, guard.target));
}

export const placesOf = (volumes: readonly VolumeView[]): ReadonlySet<string> =>
  new Set(volumes.flatMap(({ target, staging }) => [target.path, ...(staging ? [staging.target.path] : [])]));

/** Those on which something answers. */
export const livingPlacesOf = (volumes: readonly VolumeView[]): ReadonlySet<string> =>
  new Set(
    volumes
      .flatMap(({ target, layers, staging }) => [
        { path: target.path, layers },
        ...(staging ? [{ path: staging.target.path, layers: staging.layers }] : []),
      ])
      .filter(({ layers }) => layers.at(-1)?.state === 'alive')
      .map(({ path }) => path),
  );

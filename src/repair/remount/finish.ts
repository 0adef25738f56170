import { hostPath } from '../../model/ids.ts';
import { only } from '../../protocol/answers.ts';
import { agentArgs } from '../../protocol/protocol.gen.ts';
import type { Work } from '../define-repair.ts';
import { placeOf } from '../registration.ts';
import type { Publication } from './requests.ts';
import { offsetOf } from './units.ts';

/** What kubelet does after a driver has published: fsGroup, where it is kubelet's to do, and the binds of subPaths. */
export async function finish(work: Work, publication: Publication): Promise<void> {
  await own(work, publication);
  await bindSubPaths(work, publication);
}

/** The app reads and writes with what could be changed, so what could not is told and no reason to leave it dead. */
async function own({ node, view, note }: Work, { volume, request }: Publication): Promise<void> {
  if (!request.ownership) return;
  const { kubelet } = placeOf(view);
  const { gid, changePolicy } = request.ownership;
  const { path } = volume.target;
  const args = { at: kubelet.pid, startTicks: kubelet.startTicks, path, gid };
  const records = await node.agent(
    agentArgs.own({ ...args, onRootMismatch: changePolicy === 'OnRootMismatch' }),
  );
  const owned = only(records, 'owned')[0];
  if (owned?.complete) return;
  const why = owned?.errno ? ` (${owned.failed} failed, the first with ${owned.errno})` : ', in time';
  note(`not every file of ${path} could be given to group ${gid}, the fsGroup of its pod${why}`);
}

async function bindSubPaths({ node, view }: Work, { volume }: Publication): Promise<void> {
  const { kubelet, root } = placeOf(view);
  const where = { at: kubelet.pid, startTicks: kubelet.startTicks, root: root.path };
  for (const { bind, layers } of volume.subPaths) {
    const top = layers.at(-1);
    if (!top || top.state === 'alive') continue;
    const sub = offsetOf(top.root, volume.layers.at(-1)?.root ?? '/');
    const from = hostPath(volume.target.path);
    await node.agent(agentArgs.subpath({ ...where, target: bind.path, from, sub, device: top.device }));
  }
}

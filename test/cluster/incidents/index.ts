import crashedPlugin from './crashed-plugin.ts';
import csiSocketInRegistry from './csi-socket-in-registry.ts';
import deadMounts from './dead-mounts.ts';
import type { Incident } from './define.ts';
import driverMute from './driver-mute.ts';
import duplicateName from './duplicate-name.ts';
import hungMount from './hung-mount.ts';
import lostEvent from './lost-event.ts';
import noWatch from './no-watch.ts';
import orphanedWatch from './orphaned-watch.ts';
import privateRoot from './private-root.ts';
import registrarMute from './registrar-mute.ts';
import replacedDirectory from './replaced-directory.ts';
import staleSocket from './stale-socket.ts';
import taintedNode from './tainted-node.ts';
import wrongRoot from './wrong-root.ts';

export const incidents: readonly Incident[] = [
  lostEvent,
  orphanedWatch,
  replacedDirectory,
  noWatch,
  staleSocket,
  driverMute,
  registrarMute,
  csiSocketInRegistry,
  wrongRoot,
  taintedNode,
  crashedPlugin,
  privateRoot,
  duplicateName,
  deadMounts,
  hungMount,
];

export function findIncident(id: string): Incident {
  const found = incidents.find((incident) => incident.id === id);
  if (found) return found;
  throw new Error(
    `there is no incident '${id}'; there are: ${incidents.map((incident) => incident.id).join(', ')}`,
  );
}

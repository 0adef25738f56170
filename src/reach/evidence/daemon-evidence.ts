import { containerIdIn } from '../../kubelet/container-id.ts';
import type { DaemonEvidence, FuseDaemon } from '../../model/daemons.ts';
import { errorText } from '../../model/error-text.ts';
import { type Observed, seen, unseen } from '../../model/observed.ts';
import { first, legible, only } from '../../protocol/answers.ts';
import { type AgentRecord, agentArgs, type DaemonRecord } from '../../protocol/protocol.gen.ts';
import type { NodeSession } from '../session/session.ts';

/** Which processes of the node serve which FUSE mounts. */
export async function askDaemons(
  session: NodeSession,
  signal: AbortSignal,
): Promise<Observed<DaemonEvidence>> {
  try {
    return seen(daemonEvidenceOf(await session.run(agentArgs.daemons(), signal)));
  } catch (error) {
    signal.throwIfAborted();
    return unseen(errorText(error));
  }
}

/** The agent's `daemons` answer as evidence. */
export const daemonEvidenceOf = (records: readonly AgentRecord[]): DaemonEvidence => ({
  daemons: only(records, 'daemon').map(daemonOf),
  unreadable: first(records, 'daemonCounts').unreadable,
});

function daemonOf(record: DaemonRecord): FuseDaemon {
  const { pid, startTicks, ppid, comm, cgroup, pidNamespace, hostPidNamespace, device, named } = record;
  const containerId = containerIdIn(cgroup);
  return {
    pid,
    startTicks,
    parent: ppid,
    command: legible(comm),
    cgroups: cgroup.map(legible),
    ...(containerId && { containerId }),
    ...(pidNamespace !== null &&
      hostPidNamespace !== null && { hostPids: pidNamespace === hostPidNamespace }),
    ...(device !== null && { device }),
    named: [...new Set(named)],
  };
}

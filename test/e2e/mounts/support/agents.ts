import { readFileSync } from 'node:fs';
import { type ProcessId, processesBeside } from '../../../cluster/host/processes.ts';
import type { ClusterNode } from '../../../cluster/index.ts';

/** Processes of the node agent that run this command on a node; kubelet's PID namespace is theirs (hostPID). */
export function agentProcesses(node: ClusterNode, command: string): readonly ProcessId[] {
  return processesBeside(node.initPid, 'agent').filter(({ pid }) => argumentsOf(pid)[1] === command);
}

function argumentsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

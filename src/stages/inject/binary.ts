import { createHash } from 'node:crypto';
import { nodeArchitectures } from '../../cluster/workloads/objects.ts';
import { errorText } from '../../model/error-text.ts';
import type { Edit } from '../../model/injection.ts';
import { agentBinary } from '../../reach/pod/agent-binary.ts';
import { podSpecOf, refOf, type WorkloadObject } from '../../workload/kinds.ts';
import { architectureOf, binaryConfigMap, binaryEdits, configMapName } from '../../workload/probe/binary.ts';
import type { Candidate } from '../../workload/probe/plan.ts';
import type { Facts } from './facts.ts';

interface BinaryPart {
  readonly configMap: string;
  readonly object: ReturnType<typeof binaryConfigMap>;
  readonly edits: readonly Edit[];
}

interface Refusal {
  readonly why: string;
  readonly next: string;
}

/** What carries the agent into containers without a shell. */
export async function binaryPart(
  facts: Facts,
  object: WorkloadObject,
  candidates: readonly Candidate[],
): Promise<BinaryPart | Refusal> {
  const nodes = await nodeArchitectures(facts.api, facts.signal);
  const arch = architectureOf(podSpecOf(object), nodes);
  if (!arch)
    return {
      why: `its pods may run on nodes of several architectures (${[...new Set(nodes)].sort().join(', ')}), and a binary is of one`,
      next: 'pin one in the pod template: nodeSelector kubernetes.io/arch',
    };
  try {
    const agent = await agentBinary(arch);
    const name = configMapName(refOf(object), createHash('sha256').update(agent).digest('hex'));
    const carrier = binaryConfigMap(name, refOf(object), agent.toString('base64'));
    return { configMap: name, object: carrier, edits: binaryEdits(name, candidates) };
  } catch (error) {
    return { why: errorText(error), next: 'build it, or pin another architecture in the pod template' };
  }
}

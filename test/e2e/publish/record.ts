import { existsSync, readFileSync } from 'node:fs';
import type { ClusterNode, DeployedDriver } from '../../cluster/index.ts';
import type { Method } from './define-case.ts';

/** A recorded request: protobuf's canonical JSON. */
export interface RecordedRequest {
  readonly volumeId?: string;
  readonly targetPath?: string;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly volumeContext?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export interface Call {
  readonly method: string;
  /** gRPC status by name, such as `OK`. */
  readonly code: string;
  readonly request: RecordedRequest;
}

/** Every request that a driver got, oldest first. */
export function readCalls(node: ClusterNode, driver: DeployedDriver): readonly Call[] {
  const file = node.hostPath(`${driver.pluginFolder}/record/${driver.spec.name}-${node.name}.jsonl`);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line): Call => JSON.parse(line));
}

const methods: Readonly<Record<Method, string>> = { stage: 'NodeStageVolume', publish: 'NodePublishVolume' };

/** The calls of one method about a volume of a pod; staging is not about a pod. */
export function callsOf(
  calls: readonly Call[],
  method: Method,
  volumeId: string | undefined,
  podUid: string,
): readonly Call[] {
  return calls
    .filter((call) => call.method === methods[method])
    .filter(({ request: { volumeId: id, targetPath = '' } }) =>
      method === 'stage' ? id === volumeId : targetPath.includes(podUid),
    );
}

import type { V1ConfigMap, V1Pod } from '@kubernetes/client-node';
import type { NodeName } from '../../model/ids.ts';
import { clientAnnotation, expiresAnnotation, managedBy, meshOptOut, runLabel } from './labels.ts';

/** `read`: /proc and sockets only. `repair`: everything that the node's root can do. */
export type Access = 'read' | 'repair';

export interface Run {
  readonly id: string;
  readonly client: string;
  /** RFC 3339. */
  readonly expires: string;
  /** Seconds until kubelet ends the pod by itself, whatever became of the client. */
  readonly deadline: number;
}

export interface DebugImage {
  readonly image: string;
  readonly namespace: string;
  readonly pullSecrets: readonly string[];
}

export const agentContainer = 'agent';
const agentFolder = '/kubectl-csi';
export const agentPath = `${agentFolder}/agent`;

const metadata = (name: string, namespace: string, run: Run) => ({
  name,
  namespace,
  labels: { ...managedBy, [runLabel]: run.id },
  annotations: { [expiresAnnotation]: run.expires, [clientAnnotation]: run.client, ...meshOptOut },
});

/** Immutable, because it carries the code that will run with the node's rights. */
export const configMapSpec = (name: string, namespace: string, run: Run, agent: Buffer): V1ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: metadata(name, namespace, run) as NonNullable<V1ConfigMap['metadata']>,
  immutable: true,
  binaryData: { agent: agent.toString('base64') },
});

/**
 * SYS_PTRACE opens /proc/PID/root and /proc/PID/fdinfo of kubelet (proc(5), ptrace access mode PTRACE_MODE_READ), and
 * DAC_READ_SEARCH the way to mount points below folders of other users: all that looking needs. AppArmor's and SELinux's container profiles deny just that, so both are lifted.
 */
const securityContexts = {
  read: {
    runAsUser: 0,
    runAsNonRoot: false,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'], add: ['SYS_PTRACE', 'DAC_READ_SEARCH'] },
    appArmorProfile: { type: 'Unconfined' },
    seLinuxOptions: { type: 'spc_t' },
  },
  repair: { runAsUser: 0, runAsNonRoot: false, privileged: true, readOnlyRootFilesystem: true },
} as const;

export interface PodRequest {
  readonly name: string;
  readonly configMap: string;
  readonly node: NodeName;
  readonly image: DebugImage;
  readonly access: Access;
  readonly run: Run;
  readonly command: readonly string[];
}

/** A pod that the scheduler never sees, that no taint keeps away, and that needs nothing of its image. */
export function podSpec({ name, configMap, node, image, access, run, command }: PodRequest): V1Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadata(name, image.namespace, run) as NonNullable<V1Pod['metadata']>,
    spec: {
      nodeName: node,
      hostPID: true,
      restartPolicy: 'Never',
      activeDeadlineSeconds: run.deadline,
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      tolerations: [{ operator: 'Exists' }],
      imagePullSecrets: image.pullSecrets.map((secret) => ({ name: secret })),
      containers: [
        {
          name: agentContainer,
          image: image.image,
          imagePullPolicy: 'Never',
          command: [agentPath, ...command],
          securityContext: structuredClone(securityContexts[access]) as object,
          volumeMounts: [{ name: 'agent', mountPath: agentFolder, readOnly: true }],
        },
      ],
      volumes: [{ name: 'agent', configMap: { name: configMap, defaultMode: 0o755 } }],
    },
  };
}

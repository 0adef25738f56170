import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Claim, disown, readClaims } from './host/claim.ts';
import { exec, execOrThrow, type Result } from './host/exec.ts';
import { type ProcessId, signal } from './host/processes.ts';
import { teardown } from './host/teardown.ts';
import type { BuiltImage } from './images/build.ts';
import { type ClusterNode, type NodeInit, openNode } from './node/node.ts';
import { openS3, type S3Server } from './s3.ts';

export interface Cluster {
  readonly dir: string;
  /** Path of a kubeconfig with all rights. */
  readonly kubeconfig: string;
  readonly kubeVersion: string;
  /** Folder of kubectl and the other Kubernetes binaries. */
  readonly bin: string;
  /** Folder of the helper programs (test/cluster/helpers). */
  readonly helpers: string;
  /** The images that every node has. */
  readonly images: readonly BuiltImage[];
  readonly nodes: readonly ClusterNode[];
  readonly s3: S3Server;
  node(name: string): ClusterNode;
  kubectl(args: readonly string[], input?: string): Promise<Result>;
  /** What kubectl prints with `-o json`. Throws when it fails. */
  kubectlJson<T>(args: readonly string[]): Promise<T>;
  apply(objects: readonly object[]): Promise<void>;
  /** Stops the API server's process, so that connections are accepted and never answered. */
  pauseApiServer(): void;
  resumeApiServer(): void;
  /** Ends the cluster and removes all that it made. */
  stop(): Promise<void>;
  /** Lets the cluster outlive this process; `attachCluster` finds it again. */
  leaveRunning(): void;
}

/** What is written down of a cluster, for a later process to attach to. */
export interface ClusterState {
  readonly dir: string;
  readonly kubeconfig: string;
  readonly kubeVersion: string;
  readonly bin: string;
  readonly helpers: string;
  readonly apiServer: ProcessId;
  readonly images: readonly BuiltImage[];
  readonly nodes: readonly NodeInit[];
  readonly s3: string;
}

const stateFile = (dir: string) => join(dir, 'cluster.json');

export function saveState(state: ClusterState): void {
  writeFileSync(stateFile(state.dir), JSON.stringify(state, null, 2));
}

export function loadState(dir: string): ClusterState {
  return JSON.parse(readFileSync(stateFile(dir), 'utf8')) as ClusterState;
}

export const findClaim = (dir: string): Claim | undefined => readClaims().find((claim) => claim.dir === dir);

export function openCluster(state: ClusterState, claim: Claim): Cluster {
  const { dir, kubeconfig, kubeVersion, bin, helpers, images, apiServer } = state;
  const nodes = state.nodes.map(openNode);
  const command = [join(bin, 'kubectl'), `--kubeconfig=${kubeconfig}`];
  return {
    dir,
    kubeconfig,
    kubeVersion,
    bin,
    helpers,
    images,
    nodes,
    s3: openS3(state.s3),
    node: (name) => findNode(nodes, name),
    kubectl: (args, input) => exec([...command, ...args], { input, timeoutMs: 180_000 }),
    kubectlJson: async <T>(args: readonly string[]) =>
      JSON.parse(await execOrThrow([...command, ...args, '-o', 'json'])) as T,
    apply: async (objects) => {
      const list = { apiVersion: 'v1', kind: 'List', items: objects };
      await execOrThrow([...command, 'apply', '-f', '-'], { input: JSON.stringify(list) });
    },
    pauseApiServer: () => signal(apiServer, 'SIGSTOP'),
    resumeApiServer: () => signal(apiServer, 'SIGCONT'),
    stop: () => teardown(claim),
    leaveRunning: () => void disown(claim),
  };
}

function findNode(nodes: readonly ClusterNode[], name: string): ClusterNode {
  const found = nodes.find((node) => node.name === name);
  if (found) return found;
  throw new Error(`there is no node ${name}; there are ${nodes.map((node) => node.name).join(', ')}`);
}

import { createHash, randomBytes } from 'node:crypto';
import type { V1ConfigMap } from '@kubernetes/client-node';
import type { Api } from '../../cluster/api.ts';
import type { Wire } from '../../kubelet/wire.ts';
import { agentBinary } from './agent-binary.ts';
import { pathOfConfigMap, removeQuietly } from './debug-pod.ts';
import { configMapSpec, type Run } from './pod-spec.ts';

type ConfigMap = Wire<V1ConfigMap>;

/** A ConfigMap that carries the agent into one namespace. */
export interface Carrier {
  readonly name: string;
  /** @throws Error when the ConfigMap is no longer the one that we made: somebody else's code would run. */
  verify(): Promise<void>;
}

const digest = (base64: string) => createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex');

/** The agents' ConfigMaps of one run: one a namespace and architecture, made when first needed. */
export class Carriers {
  readonly #api: Api;
  readonly #run: Run;
  readonly #binary: typeof agentBinary;
  readonly #made = new Map<string, Promise<Carrier>>();
  readonly #paths: string[] = [];

  constructor(api: Api, run: Run, binary = agentBinary) {
    this.#api = api;
    this.#run = run;
    this.#binary = binary;
  }

  in(namespace: string, arch: string): Promise<Carrier> {
    const key = `${namespace} ${arch}`;
    const made = this.#made.get(key) ?? this.#make(namespace, arch);
    this.#made.set(key, made);
    made.catch(() => this.#made.delete(key));
    return made;
  }

  /** @returns what could not be deleted, in words */
  async remove(): Promise<readonly string[]> {
    const failures = await Promise.all(this.#paths.map((path) => removeQuietly(this.#api, path)));
    return failures.filter((failure) => failure !== undefined);
  }

  async #make(namespace: string, arch: string): Promise<Carrier> {
    const agent = await this.#binary(arch);
    const name = `kubectl-csi-${randomBytes(6).toString('hex')}`;
    const path = pathOfConfigMap(namespace, name);
    this.#paths.push(path);
    const spec = configMapSpec(name, namespace, this.#run, agent);
    const { object } = await this.#api.create<ConfigMap>(`/api/v1/namespaces/${namespace}/configmaps`, spec);
    const expected = digest(agent.toString('base64'));
    return { name, verify: () => this.#verify(path, object.metadata?.uid, expected) };
  }

  async #verify(path: string, uid: string | undefined, expected: string): Promise<void> {
    const now = await this.#api.get<ConfigMap>(path);
    if (now.metadata?.uid !== uid || digest(now.binaryData?.agent ?? '') !== expected)
      throw new Error(`${path} was replaced by somebody else; its pod was deleted`);
  }
}

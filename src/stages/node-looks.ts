import type { Api } from '../cluster/api.ts';
import { readPods, readSnapshot } from '../cluster/snapshot/snapshot.ts';
import { joinView } from '../diagnose/join.ts';
import type { NodeView } from '../diagnose/view.ts';
import type { NodeEvidence } from '../model/evidence.ts';
import type { NodeName } from '../model/ids.ts';
import { type Observed, seen, unseen } from '../model/observed.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { AgentError } from '../protocol/answers.ts';
import { observe, observeMounts } from '../reach/evidence/observe.ts';
import type { NodeSession } from '../reach/session/session.ts';
import { Looks } from './looks.ts';
import { mendingPatiently } from './patience.ts';

/** The ways to look at one node again. Those who look at the same time share a look. */
export class NodeLooks {
  readonly #api: Api;
  readonly #name: NodeName;
  readonly #session: NodeSession;
  readonly #signal: AbortSignal;
  readonly #whole: Looks;
  readonly #volumes: Looks;
  #last: NodeView | undefined;

  /** @param first what was seen of it already, `at` milliseconds since the epoch at the earliest */
  constructor(
    api: Api,
    name: NodeName,
    session: NodeSession,
    first: NodeView | undefined,
    at: number,
    signal: AbortSignal,
  ) {
    this.#api = api;
    this.#name = name;
    this.#session = session;
    this.#signal = signal;
    this.#last = first;
    this.#whole = new Looks(() => mendingPatiently(() => this.#lookAtAll(), signal), first, at);
    this.#volumes = new Looks(() => mendingPatiently(() => this.#lookAtVolumes(), signal), undefined, 0);
  }

  /** Something was done on the node: what was seen before is worthless. */
  changed(): void {
    this.#whole.changed();
    this.#volumes.changed();
  }

  /** @param maxAgeMs milliseconds; a look so recent serves again, if nothing was done on the node since */
  all = (maxAgeMs: number): Promise<NodeView> => this.#whole.take(maxAgeMs);

  /** Mounts and pods; what the sockets, kubelet and the rest of the cluster said last is taken over. */
  volumes = (): Promise<NodeView> => this.#volumes.take(0);

  /** The API server's word only. */
  api = (): Promise<NodeView> => this.#view(unseen('the node itself was not looked at'));

  async #lookAtAll(): Promise<NodeView> {
    this.#last = await this.#view(seen(await observe(this.#session, this.#signal)));
    return this.#last;
  }

  /** A kubelet that has been restarted is another process: then all is looked at. */
  async #lookAtVolumes(): Promise<NodeView> {
    if (!this.#last?.evidence.seen) return this.#lookAtAll();
    const { snapshot, evidence } = this.#last;
    const [pods, mounts] = await Promise.all([
      readPods(this.#api, { podsOf: this.#name, signal: this.#signal }),
      observeMounts(this.#session, evidence.value, this.#signal).catch(unlessBroken),
    ]);
    if (!mounts.seen) return this.#lookAtAll();
    return this.#join({ ...snapshot, ...pods }, seen({ ...evidence.value, mounts }));
  }

  async #view(evidence: Observed<NodeEvidence>): Promise<NodeView> {
    const options = { nodes: [this.#name], podsOf: this.#name, kubelet: true, signal: this.#signal };
    return this.#join(await readSnapshot(this.#api, options), evidence);
  }

  #join(snapshot: Snapshot, evidence: Observed<NodeEvidence>): NodeView {
    const [node] = joinView(snapshot, new Map([[this.#name, evidence]])).nodes;
    if (!node) throw new Error(`node ${this.#name} is gone`);
    return node;
  }
}

function unlessBroken(error: unknown): { readonly seen: false; readonly why: string } {
  if (error instanceof AgentError) return unseen(error.message);
  throw error;
}

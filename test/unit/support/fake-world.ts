import { rules } from '../../../src/diagnose/rules/index.gen.ts';
import type { Capture } from '../../../src/files/capture.ts';
import { type NodeName, nodeName } from '../../../src/model/ids.ts';
import { unseen } from '../../../src/model/observed.ts';
import type { Outcome } from '../../../src/model/outcome.ts';
import type { Plan, Step } from '../../../src/model/plan.ts';
import type { AgentRecord } from '../../../src/protocol/protocol.gen.ts';
import { defineRepair, type Repair, type Work } from '../../../src/repair/define-repair.ts';
import type { Admitted, EventObject, NodePort, ObjectEvent, WorldPort } from '../../../src/repair/ports.ts';
import { type RunOptions, runPlan } from '../../../src/repair/run.ts';
import { captured, diagnosisOf, nodeOf, withoutAgents } from './captures.ts';

/** A node in memory: what is seen of it is a capture, which repairs replace by another. */
export class FakeNode {
  readonly #name: NodeName;
  /** What the node looks like now. */
  capture: Capture;
  /** Everything that was done, in order: agent commands, and what repairs note here themselves. */
  readonly log: string[] = [];
  /** Lines of the journal that other runs left. */
  leftover: readonly { readonly run: string; readonly line: string }[] = [];
  /** What a command answers, or throws; undefined for the usual. */
  answer: (args: readonly string[]) => readonly AgentRecord[] | undefined = () => undefined;

  constructor(name: string, capture: Capture) {
    this.#name = nodeName(name);
    this.capture = capture;
  }

  /** The states that the journal of this run went through, as `REPAIR STATE`. */
  get journal(): readonly string[] {
    return this.log.filter((line) => line.startsWith('journal '));
  }

  get port(): NodePort {
    const port: Pick<NodePort, 'name' | 'run' | 'agent' | 'look' | 'observe' | 'observeVolumes'> = {
      name: this.#name,
      run: 'this-run',
      agent: async (args) => this.#run(args),
      look: async () => {
        const node = nodeOf(withoutAgents(this.capture));
        return { ...node, evidence: unseen('the node itself was not looked at') };
      },
      observe: async () => nodeOf(this.capture),
      observeVolumes: async () => nodeOf(this.capture),
    };
    return port as NodePort;
  }

  #run(encoded: readonly string[]): readonly AgentRecord[] {
    const args = encoded.map(decodeURIComponent);
    const [command = ''] = args;
    if (command === 'journal-append') {
      const { repair, state } = JSON.parse(args.at(-1) ?? '{}');
      this.log.push(`journal ${repair} ${state}`);
    } else if (command !== 'journal-read') this.log.push(args.join(' '));
    const given = this.answer(args);
    if (given) return given;
    if (command !== 'journal-read') return [];
    return this.leftover.map((each) => ({ kind: 'journal', ...each }) as AgentRecord);
  }
}

/** Leases and events in memory. */
export class FakeWorld implements WorldPort {
  readonly events: ObjectEvent[] = [];
  readonly released: string[] = [];
  readonly lost = new AbortController();
  readonly #nodes: ReadonlyMap<string, FakeNode>;
  /** Nodes that somebody else heals, by name, and who. */
  held: Readonly<Record<string, string>> = {};

  constructor(nodes: Readonly<Record<string, FakeNode>>) {
    this.#nodes = new Map(Object.entries(nodes));
  }

  async admit(node: NodeName): Promise<Admitted> {
    const holder = this.held[node];
    if (holder) throw new Error(`lease is held by ${holder}`);
    const fake = this.#nodes.get(node);
    if (!fake) throw new Error('no debug pod runs on the node');
    const release = async () => void this.released.push(node);
    return { port: fake.port, signal: this.lost.signal, release };
  }

  async record(_object: EventObject, event: ObjectEvent): Promise<void> {
    this.events.push(event);
  }
}

export const broken = captured('lost-event');
export const well = captured('healthy');

/** A repair of a lost registration: what is not given does nothing and finds nothing wrong. */
export const repairOf = (id: string, parts: Partial<Repair> = {}): Repair =>
  defineRepair({
    id,
    title: `Title of ${id}`,
    rank: 1,
    risk: 'safe',
    cures: [{ rule: 'registration-lost', reasons: ['unknown', 'queue-overflow', 'orphaned-watch'] }],
    describe: () => `does ${id}`,
    bars: () => undefined,
    act: async () => undefined,
    verify: async () => undefined,
    undo: { nothing: 'nothing' },
    ...parts,
  });

/** Notes in the node's log that a part of a repair ran, then does what is given. */
export const noting =
  <T>(node: FakeNode, word: string, then: (work: Work) => Promise<T>) =>
  async (work: Work): Promise<T> => {
    node.log.push(word);
    return then(work);
  };

/** One step a node, about what is found there, with these repairs as its ladder. */
export const stepOf = (node: string, capture: Capture, ladder: readonly Repair[]): Step => ({
  node: nodeName(node),
  findings: diagnosisOf(capture).findings,
  rungs: ladder.map(({ id, risk }) => ({ repair: id, risk, does: id })),
});

export const planOf = (steps: readonly Step[]): Plan => ({
  version: 1,
  maxRisk: 'disruptive',
  steps,
  refusals: [],
});

export interface Told {
  readonly outcome: Outcome;
  readonly progress: readonly string[];
  readonly notes: readonly string[];
}

/** Runs a plan in a world in memory, to its outcome. */
export async function runIn(
  world: WorldPort,
  steps: readonly Step[],
  repairs: readonly Repair[],
  options: Partial<RunOptions> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Told> {
  const progress: string[] = [];
  const notes: string[] = [];
  const complete: RunOptions = {
    run: 'this-run',
    repairs,
    rules,
    maxFailures: 1,
    force: false,
    onProgress: (_node, does) => void progress.push(does),
    onNote: (_node, note) => void notes.push(note),
    ...options,
  };
  const outcome = await runPlan(planOf(steps), world, complete, signal);
  return { outcome, progress, notes };
}

import { readFileSync } from 'node:fs';
import { diagnose } from '../../../src/diagnose/diagnose.ts';
import { joinView } from '../../../src/diagnose/join.ts';
import { rules } from '../../../src/diagnose/rules/index.gen.ts';
import type { ClusterView, DriverView, NodeView } from '../../../src/diagnose/view.ts';
import { type Capture, parseCapture } from '../../../src/files/capture.ts';
import type { NodeEvidence, RegistryEntry, SocketAnswer } from '../../../src/model/evidence.ts';
import type { BlindSpot, Finding } from '../../../src/model/finding.ts';
import type { Observed } from '../../../src/model/observed.ts';
import type {
  NodeSnapshot,
  PluginDaemonSet,
  PluginPod,
  Snapshot,
  VolumeUse,
} from '../../../src/model/snapshot.ts';

/** The same data, free to be changed. */
export type Mutable<T> = T extends string | number | boolean | null | undefined
  ? T
  : { -readonly [Key in keyof T]: Mutable<T[Key]> };

/** The parts of a capture of one node with one driver, ready to be changed. */
export interface Parts {
  readonly capture: Mutable<Capture>;
  readonly snapshot: Mutable<Snapshot>;
  readonly node: Mutable<NodeSnapshot>;
  readonly evidence: Mutable<NodeEvidence>;
  readonly pod: Mutable<PluginPod>;
  readonly daemonSet: Mutable<PluginDaemonSet>;
  readonly use: Mutable<VolumeUse>;
  readonly entry: Mutable<RegistryEntry>;
  readonly socket: Mutable<SocketAnswer>;
}

/** A capture of an incident, recorded on a real cluster by `test/fixtures/record.ts`. */
export function captured(incident: string): Capture {
  const file = new URL(`../../fixtures/captures/${incident}.json`, import.meta.url);
  return parseCapture(incident, readFileSync(file, 'utf8'));
}

export function seenValue<T>(observed: Observed<T> | undefined, what = 'it'): T {
  if (!observed?.seen) throw new Error(`${what} was not seen: ${observed?.why}`);
  return observed.value;
}

export function existing<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`there is no ${what}`);
  return value;
}

/** A part is looked for when it is asked for: a capture need not have those that a test does not change. */
function partsOf(capture: Mutable<Capture>): Parts {
  const { snapshot } = capture;
  const evidence = () =>
    seenValue(capture.evidence[0]?.[1] as Observed<NodeEvidence>) as Mutable<NodeEvidence>;
  const entry = () =>
    existing(seenValue(evidence().entries as Observed<Mutable<RegistryEntry>[]>)[0], 'entry');
  return {
    capture,
    snapshot,
    get node() {
      return existing(snapshot.nodes[0], 'node');
    },
    get evidence() {
      return evidence();
    },
    get pod() {
      return existing(seenValue(snapshot.pluginPods as Observed<Mutable<PluginPod>[]>)[0], 'plugin pod');
    },
    get daemonSet() {
      return existing(seenValue(snapshot.daemonSets as Observed<Mutable<PluginDaemonSet>[]>)[0], 'DaemonSet');
    },
    get use() {
      return existing(seenValue(snapshot.volumeUses as Observed<Mutable<VolumeUse>[]>)[0], 'volume in use');
    },
    get entry() {
      return entry();
    },
    get socket() {
      return existing(entry().socket, 'socket');
    },
  };
}

/** A copy of a capture with something changed in it. */
export function changed(capture: Capture, change: (parts: Parts) => void): Capture {
  const copy = structuredClone(capture) as Mutable<Capture>;
  change(partsOf(copy));
  return copy as Capture;
}

/** What only the API server said: the capture as it would be without a debug pod. */
export const withoutAgents = (capture: Capture): Capture => ({ ...capture, evidence: [] });

export const viewOf = ({ snapshot, evidence }: Capture): ClusterView => joinView(snapshot, new Map(evidence));

export const nodeOf = (capture: Capture): NodeView => existing(viewOf(capture).nodes[0], 'node');
export const seenDriver = (capture: Capture): DriverView => existing(nodeOf(capture).drivers[0], 'driver');

const registrationRules = rules.filter(({ incident }) => incident === 'registration');

/** What the rules of registration say. */
export const diagnosisOf = (capture: Capture) =>
  diagnose(viewOf(capture), registrationRules, capture.evidence.length > 0 ? ['agent'] : []);

/** What was found that matters, as `rule/reason`. */
export const found = (capture: Capture): readonly string[] =>
  diagnosisOf(capture)
    .findings.filter(({ severity }) => severity !== 'notice')
    .map(({ rule, reason }) => `${rule}/${reason}`)
    .sort();

export const findingOf = (capture: Capture, rule: string): Finding =>
  existing(
    diagnosisOf(capture).findings.find((finding) => finding.rule === rule),
    `finding of ${rule}`,
  );

export const blindSpotsOf = (capture: Capture, rule: string): readonly BlindSpot[] =>
  diagnosisOf(capture).blindSpots.filter((spot) => spot.rule === rule);

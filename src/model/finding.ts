import type { DriverName, HostPath, NodeName, ObjectKey } from './ids.ts';

/** `error`: something is broken. `warning`: it will break, or breaks for some. `notice`: worth knowing, nothing is wrong. */
export type Severity = 'error' | 'warning' | 'notice';

/** What a finding is about. What is absent is not part of the subject. */
export interface Subject {
  readonly node?: NodeName;
  readonly driver?: DriverName;
  readonly socket?: HostPath;
  readonly pod?: ObjectKey;
  /** The volume's handle; with node and driver it names what is repaired as one. */
  readonly volume?: string;
  /** The volume's name in the pod. */
  readonly volumeName?: string;
  readonly daemonSet?: ObjectKey;
}

/** One observation that a finding rests on, with its origin so that a reader can check it. */
export interface Proof {
  readonly what: string;
  readonly source: string;
}

export interface Finding {
  /** The rule's id, which is its file's name. */
  readonly rule: string;
  /** Why it is so: one of the rule's reasons. */
  readonly reason: string;
  readonly severity: Severity;
  readonly subject: Subject;
  /** One line for a person. */
  readonly summary: string;
  readonly proofs: readonly Proof[];
  /** What to do, in words and with a command to type. */
  readonly cure: string;
  /** The command that cures all findings of this kind on the node and driver at once. */
  readonly cureTogether?: string;
}

/** A question that a rule could not answer, and why. Printed as `<unknown>`. */
export interface BlindSpot {
  readonly rule: string;
  readonly subject: Subject;
  readonly why: string;
}

export interface Diagnosis {
  readonly findings: readonly Finding[];
  readonly blindSpots: readonly BlindSpot[];
}

const subjectParts = (subject: Subject) => [
  subject.node,
  subject.driver,
  subject.socket,
  subject.volume ?? subject.volumeName,
  subject.pod && `${subject.pod.namespace}/${subject.pod.name}`,
  subject.daemonSet && `${subject.daemonSet.namespace}/${subject.daemonSet.name}`,
];

/** What is repaired as one: a volume with all its pods on the node, a driver, or a socket. */
export const unitOf = ({ node, driver, volume, socket }: Subject) =>
  [node, ...(volume === undefined ? [driver ?? socket] : [driver, volume])].join(' ');

/** The same fault seen again, whatever the node plugin's pod is called by then. */
export const isSameFault = (a: Finding, b: Finding) =>
  a.rule === b.rule &&
  unitOf(a.subject) === unitOf(b.subject) &&
  (a.subject.volume === undefined || a.subject.pod?.name === b.subject.pod?.name);

/** Stable across runs: the same finding on the same subject has the same id. */
export const findingId = (finding: Pick<Finding, 'rule' | 'subject'>) =>
  [finding.rule, ...subjectParts(finding.subject).filter((part) => part !== undefined)].join('/');

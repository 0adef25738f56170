import type { DriverName, HostPath, NodeName, ObjectKey } from './ids.ts';

/** `error`: something is broken. `warning`: it will break, or breaks for some. `notice`: worth knowing, nothing is wrong. */
export type Severity = 'error' | 'warning' | 'notice';

/** What a finding is about. What is absent is not part of the subject. */
export interface Subject {
  readonly node?: NodeName;
  readonly driver?: DriverName;
  readonly socket?: HostPath;
  readonly pod?: ObjectKey;
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
  subject.pod && `${subject.pod.namespace}/${subject.pod.name}`,
  subject.daemonSet && `${subject.daemonSet.namespace}/${subject.daemonSet.name}`,
];

/** Stable across runs: the same finding on the same subject has the same id. */
export const findingId = (finding: Pick<Finding, 'rule' | 'subject'>) =>
  [finding.rule, ...subjectParts(finding.subject).filter((part) => part !== undefined)].join('/');

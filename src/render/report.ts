import type { BlindSpot, Diagnosis, Finding } from '../model/finding.ts';
import type { ObjectKey } from '../model/ids.ts';
import type { Toll, VolumeImpact } from '../model/impact.ts';
import type { WorkloadPlan } from '../model/injection.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Plan } from '../model/plan.ts';
import type { WalkStep } from '../model/walk.ts';

/** What a command found or did, finished. Formats turn it into text and ask for nothing more. */
export type Report =
  | StatusReport
  | DoctorReport
  | PodDoctorReport
  | ComparisonReport
  | PlanReport
  | OutcomeReport
  | CleanupReport
  | InjectionReport
  | BlastRadiusReport
  | UpgradeCheckReport
  | VersionReport;

/** A word that may be unknown: what is undefined prints as `<unknown>`. */
export type Known<T> = T | undefined;

export interface StatusReport {
  readonly kind: 'Status';
  readonly takenAt: string;
  readonly deep: boolean;
  readonly rows: readonly StatusRow[];
  readonly diagnosis: Diagnosis;
  /** What was not looked at, and how to have it looked at. */
  readonly footers: readonly string[];
}

export interface StatusRow {
  readonly node: string;
  readonly driver: string;
  readonly kubelet: Known<boolean>;
  readonly csiNode: Known<boolean>;
  /** State of the registration socket; undefined where nobody looked. */
  readonly socket: Known<string>;
  readonly plugin: string;
  /** Mounted here by kubelet's own count. */
  readonly volumes: Known<number>;
  /** Volumes that do not answer; absent where no node was visited, undefined where it could not be seen. */
  readonly dead?: Known<number>;
  readonly hung?: Known<number>;
  readonly verdict: 'ok' | 'error' | 'warning' | 'unknown';
  /** The rule that decided the verdict. */
  readonly cause?: string;
}

export interface DoctorReport {
  readonly kind: 'Doctor';
  readonly takenAt: string;
  readonly cases: readonly DoctorCase[];
  readonly diagnosis: Diagnosis;
}

export interface DoctorCase {
  readonly finding: Finding;
  readonly title: string;
  readonly explanation: string;
  readonly repairs: readonly { readonly id: string; readonly risk: string; readonly title: string }[];
}

/** Why a pod does not start or does not end. */
export interface PodDoctorReport {
  readonly kind: 'PodDoctor';
  readonly takenAt: string;
  readonly pod: ObjectKey;
  readonly node?: string;
  /** As kubectl shows it, and since when. */
  readonly status: string;
  /** The answer in one line. */
  readonly verdict: string;
  /** The first broken link; absent where none is. */
  readonly blocker?: DoctorCase;
  /** Every link, the sound ones too, so that a reader sees what has been ruled out. */
  readonly walk: readonly WalkStep[];
  /** What else was found about the pod, its drivers and its node. */
  readonly cases: readonly DoctorCase[];
  readonly diagnosis: Diagnosis;
}

export interface ComparisonReport {
  readonly kind: 'Comparison';
  readonly nodes: readonly [string, string];
  readonly differences: readonly Difference[];
  /** What could not be compared, and why. */
  readonly unseen: readonly string[];
}

export interface Difference {
  readonly topic: string;
  readonly item: string;
  readonly values: readonly [string, string];
}

export interface PlanReport {
  readonly kind: 'Plan';
  readonly plan: Plan;
  readonly diagnosis: Diagnosis;
}

export interface OutcomeReport {
  readonly kind: 'Outcome';
  readonly outcome: Outcome;
  readonly refusals: Plan['refusals'];
  /** What could not be seen when the plan was made, so that nothing was planned about it. */
  readonly blindSpots: readonly BlindSpot[];
  readonly notes: readonly string[];
}

export interface CleanupReport {
  readonly kind: 'Cleanup';
  readonly removed: readonly string[];
  readonly kept: readonly string[];
  readonly failed: readonly string[];
  /** Second drivers that carry volumes, and the command that ends them; absent where there are none. */
  readonly standing?: readonly string[];
}

export interface VersionReport {
  readonly kind: 'Version';
  readonly client: Readonly<Record<string, string>>;
  /** SHA-256 of the node agents by architecture. */
  readonly agents: Readonly<Record<string, string>>;
  readonly server?: string;
}

export interface InjectionReport {
  readonly kind: 'Injection';
  readonly mode: 'probe' | 'propagation' | 'undo';
  readonly dryRun: 'none' | 'client' | 'server';
  readonly workloads: readonly WorkloadPlan[];
  readonly footers: readonly string[];
}

export interface BlastRadiusReport {
  readonly kind: 'BlastRadius';
  readonly takenAt: string;
  readonly plugins: readonly PluginRadius[];
  readonly volumes: readonly VolumeImpact[];
  /** Nodes on which nobody could look. */
  readonly unseen: readonly { readonly node: string; readonly why: string }[];
}

/** A driver on a node, and what restarts cost there. */
export interface PluginRadius {
  readonly node: string;
  readonly driver: string;
  /** `namespace/name` of the node plugin's pod; absent where there is none. */
  readonly pod?: string;
  readonly daemonSet?: string;
  readonly onPluginRestart: Toll;
  readonly onKubeletRestart: Toll;
}

export interface UpgradeCheckReport {
  readonly kind: 'UpgradeCheck';
  readonly takenAt: string;
  /** `namespace/name`. */
  readonly daemonSet: string;
  readonly drivers: readonly string[];
  readonly strategy: { readonly type: string; readonly maxUnavailable?: string; readonly maxSurge?: string };
  readonly nodes: readonly UpgradeNode[];
  /** Volumes of its drivers, and others that its pods serve; `onPluginRestart` is for its pods alone. */
  readonly volumes: readonly VolumeImpact[];
  readonly unseen: BlastRadiusReport['unseen'];
  readonly verdict: 'safe' | 'kills' | 'unknown';
  /** Whether a second driver could carry the volumes over the restart. */
  readonly handover:
    | { readonly possible: true; readonly cautions: readonly string[] }
    | { readonly possible: false; readonly reasons: readonly string[] };
  /** What to type. */
  readonly next: readonly string[];
}

/** A node on which a pod of the DaemonSet runs. */
export interface UpgradeNode {
  readonly node: string;
  readonly pod: string;
  /** Whether the pod runs the template as it is now. */
  readonly revision: Known<'current' | 'old'>;
  readonly toll: Toll;
}

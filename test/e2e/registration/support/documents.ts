/** As much of the documents that `-o json` prints as the tests look at. */
export interface Finding {
  readonly rule: string;
  readonly reason: string;
  readonly severity: string;
  readonly subject: {
    readonly node?: string;
    readonly driver?: string;
    readonly socket?: string;
    readonly pod?: { readonly namespace: string; readonly name: string };
  };
  readonly summary: string;
  readonly proofs: readonly { readonly what: string; readonly source: string }[];
  readonly cure: string;
}

export interface Diagnosis {
  readonly findings: readonly Finding[];
  readonly blindSpots: readonly {
    readonly rule: string;
    readonly why: string;
    readonly subject: { readonly node?: string };
  }[];
}

export interface DoctorDocument {
  readonly kind: 'Doctor';
  readonly diagnosis: Diagnosis;
}

export interface StatusDocument {
  readonly kind: 'Status';
  readonly rows: readonly {
    readonly node: string;
    readonly driver: string;
    readonly kubelet?: boolean;
    readonly csiNode?: boolean;
    readonly socket?: string;
    readonly dead?: number;
    readonly hung?: number;
    readonly verdict: string;
    readonly cause?: string;
  }[];
  readonly diagnosis: Diagnosis;
}

export interface HealDocument {
  readonly kind: 'Outcome' | 'Plan';
  /** Of an Outcome. */
  readonly outcome?: {
    readonly run: string;
    readonly steps: readonly {
      readonly result: string;
      readonly attempts: readonly {
        readonly repair: string;
        readonly result: string;
        readonly detail: string;
        readonly notes?: readonly string[];
      }[];
      readonly left: readonly string[];
    }[];
    readonly stopped?: string;
  };
  readonly refusals?: readonly Refusal[];
  /** Of an Outcome; a Plan has them in its diagnosis. */
  readonly blindSpots?: Diagnosis['blindSpots'];
  /** Of a Plan. */
  readonly plan?: {
    readonly steps: readonly {
      readonly rungs: readonly { readonly repair: string; readonly barred?: string }[];
    }[];
    readonly refusals: readonly Refusal[];
  };
}

export interface Refusal {
  readonly finding: Finding;
  readonly why: string;
}

/** What repaired each step, or how it ended. */
export const cures = ({ outcome }: HealDocument): readonly string[] =>
  (outcome?.steps ?? []).flatMap(({ attempts }) =>
    attempts.map(({ repair, result, detail }) =>
      result === 'repaired' ? repair : `${repair}: ${result}: ${detail}`,
    ),
  );

export const refusalsOf = ({ refusals, plan }: HealDocument) => refusals ?? plan?.refusals ?? [];

/** `rule: reason` of what is an error or a warning, sorted. */
export const causes = ({ findings }: Diagnosis): readonly string[] =>
  findings
    .filter(({ severity }) => severity !== 'notice')
    .map(({ rule, reason }) => `${rule}: ${reason}`)
    .sort();

import type { BlindSpot, Finding } from '../model/finding.ts';
import type { Link } from '../model/walk.ts';
import type { PodView } from './pod-view.ts';
import type { ClusterView, DriverView, NodeView, VolumeView } from './view.ts';

/** What a rule looks at besides the API server's snapshot. */
export type Need = 'agent';

export type Incident = 'registration' | 'mounts' | 'pods';

/** A finding as a rule writes it: the rule's id is added by `diagnose`. */
export type Draft<Reason extends string = string> = Omit<Finding, 'rule' | 'reason'> & {
  readonly reason: Reason;
};

export type Blind = Omit<BlindSpot, 'rule'>;

/** What a rule says of one subject: findings, or that it could not see. Nothing means that all is well. */
export interface Answer<Reason extends string = string> {
  readonly found?: readonly Draft<Reason>[];
  readonly blind?: readonly Blind[];
}

interface RuleWords<Reason extends string> {
  /** Stable, and equal to the file's name. */
  readonly id: string;
  readonly incident: Incident;
  /** What is wrong, as a heading. */
  readonly title: string;
  /** Evidence without which the rule is not asked. */
  readonly needs: readonly Need[];
  /** Each reason that the rule can give, explained for a person. */
  readonly reasons: Readonly<Record<Reason, string>>;
  /** The link of a pod's walk that is broken by what it finds; by the incident where absent. */
  readonly link?: Link;
}

/** A rule is asked once a cluster, a node, a driver on a node, a volume of a pod, or for the pod that was asked for. */
export type Rule<Reason extends string = string> = RuleWords<Reason> &
  (
    | { readonly scope: 'cluster'; readonly check: (cluster: ClusterView) => Answer<Reason> }
    | { readonly scope: 'node'; readonly check: (node: NodeView) => Answer<Reason> }
    | { readonly scope: 'driver'; readonly check: (driver: DriverView, node: NodeView) => Answer<Reason> }
    | { readonly scope: 'volume'; readonly check: (volume: VolumeView, node: NodeView) => Answer<Reason> }
    | { readonly scope: 'pod'; readonly link: Link; readonly check: (pod: PodView) => Answer<Reason> }
  );

export const defineRule = <Reason extends string>(rule: Rule<Reason>): Rule<Reason> => rule;

export const well: Answer<never> = {};

const linkOfIncident: Readonly<Record<Incident, Link>> = {
  registration: 'registration',
  mounts: 'mount',
  pods: 'container',
};

export const linkOf = ({ link, incident }: RuleWords<string>): Link => link ?? linkOfIncident[incident];

/**
 * What a pod's start and end hang on, in the order in which one thing waits for another: the first link that is broken
 * is the cause, those behind it are its effects.
 */
export const links = [
  'claim',
  'volume',
  'scheduling',
  'node',
  'attachment',
  'plugin',
  'registration',
  'mount',
  'container',
  'end',
] as const;

export type Link = (typeof links)[number];

/** `waiting`: not its turn yet, or on its way. `unneeded`: this volume has no such link. */
export type StepState = 'sound' | 'broken' | 'waiting' | 'unneeded' | 'unknown';

/** One link of a pod, as it was found. */
export interface WalkStep {
  readonly link: Link;
  /** The volume's name in the pod; absent for what is the pod's own. */
  readonly volume?: string;
  readonly state: StepState;
  readonly what: string;
}

import type { Cures } from '../../plan/repair-spec.ts';

/**
 * What a living mount on the node and the same in every container cures. A container whose mount answers is left alone,
 * whatever it is: only the dead is replaced, and what was started on the bare directory.
 */
export const mountFaults: readonly Cures[] = [
  { rule: 'mount-dead', reasons: ['daemon-gone', 'stale-handle', 'container-only'] },
  { rule: 'mount-bare', reasons: ['not-mounted', 'guard-left'] },
  { rule: 'mount-wrong', reasons: ['bound-to-bare'] },
];

/** What it does not: the container's runtime alone knows all that was mounted at a place that is gone. */
export const restartFaults: readonly Cures[] = [...mountFaults, { rule: 'mount-wrong', reasons: ['lost'] }];

import type { Cures } from '../../plan/repair-spec.ts';

/** What a living mount on the node and the same in every container cures. */
export const mountFaults: readonly Cures[] = [
  { rule: 'mount-dead', reasons: ['daemon-gone', 'stale-handle', 'container-only'] },
  { rule: 'mount-bare', reasons: ['not-mounted', 'guard-left'] },
  { rule: 'mount-wrong', reasons: ['bound-to-bare', 'other-device', 'other-offset'] },
];

/** What it does not: the container's runtime alone knows all that was mounted at a place that is gone. */
export const restartFaults: readonly Cures[] = [...mountFaults, { rule: 'mount-wrong', reasons: ['lost'] }];

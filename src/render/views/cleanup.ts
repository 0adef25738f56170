import { defineView } from '../define-view.ts';

export default defineView({
  kind: 'Cleanup',
  table({ removed, kept, failed, standing = [] }) {
    const lines = [
      ...removed.map((name) => `removed ${name}`),
      ...kept.map((name) => `kept    ${name} (its run may still be going on; --force removes it)`),
      ...failed.map((why) => `failed  ${why}`),
      ...standing.map((what) => `left    ${what}`),
    ];
    return lines.length > 0 ? lines.join('\n') : 'Nothing of kubectl csi is left in the cluster.';
  },
  names: ({ removed }) => removed,
});

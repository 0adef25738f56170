import { defineRule } from '../../define-rule.ts';

/** Finds nothing: it only sees to it that mounts of processes that could not be looked at do not pass for well. */
export default defineRule<never>({
  id: 'namespaces-unseen',
  incident: 'mounts',
  scope: 'node',
  title: 'Mounts of some processes could not be seen',
  needs: ['agent'],
  reasons: {},
  check({ node, evidence }) {
    if (!evidence.seen || !evidence.value.mounts.seen) return {}; // the rules about volumes say so
    const { unreadable } = evidence.value.mounts.value;
    if (!unreadable) return {};
    const processes = unreadable === 1 ? '1 process' : `${unreadable} processes`;
    return {
      blind: [
        { subject: { node: node.name }, why: `the mount namespaces of ${processes} could not be read` },
      ],
    };
  },
});

import { defineRule } from '../../define-rule.ts';

/** Without a shared root, mounts that a driver makes never reach kubelet or other pods (kubernetes/kubernetes#61058). */
export default defineRule({
  id: 'private-root',
  incident: 'registration',
  scope: 'node',
  title: "Kubelet's root is not a shared mount",
  needs: ['agent'],
  reasons: {
    private:
      'The mount that holds the root has no peer group, so Bidirectional propagation cannot work. In the worst case apps write to an empty directory on the node.',
  },
  check(node) {
    if (!node.evidence.seen) return {};
    const { root } = node.evidence.value;
    if (!root.seen) return { blind: [{ subject: { node: node.node.name }, why: root.why }] };
    const { mount, path } = root.value;
    if (mount.propagation === 'shared') return {};
    return {
      found: [
        {
          reason: 'private',
          severity: 'error',
          subject: { node: node.node.name },
          summary: `${path} is on ${mount.mountPoint}, which is ${mount.propagation}, not shared`,
          proofs: [{ what: `${mount.mountPoint} has no shared: tag`, source: '/proc/KUBELET/mountinfo' }],
          cure: `on the node: mount --make-rshared ${mount.mountPoint} (and the same at boot, before kubelet starts), then restart the pods of the drivers`,
        },
      ],
    };
  },
});

import { lossyFileSystem } from '../../../kubelet/file-systems.ts';
import { defineRule } from '../../define-rule.ts';

export default defineRule({
  id: 'lossy-file-system',
  incident: 'registration',
  scope: 'node',
  title: 'plugins_registry is on a file system that loses events',
  needs: ['agent'],
  reasons: {
    'loses-events':
      'Changes from outside this kernel raise no inotify event here, so drivers may stay unregistered until kubelet starts again.',
  },
  check(node) {
    if (!node.evidence.seen) return {};
    const { registry } = node.evidence.value;
    if (!registry.seen) return { blind: [{ subject: { node: node.node.name }, why: registry.why }] };
    const name = lossyFileSystem(registry.value.mount.fsType);
    if (!name) return {};
    return {
      found: [
        {
          reason: 'loses-events',
          severity: 'warning',
          subject: { node: node.node.name },
          summary: `${registry.value.path} is on ${name}, which is known to lose inotify events`,
          proofs: [
            {
              what: `${registry.value.mount.mountPoint} is ${registry.value.mount.fsType}`,
              source: '/proc/KUBELET/mountinfo',
            },
          ],
          cure: `kubectl csi relocate --node ${node.node.name} gives the registry a file system of its own`,
        },
      ],
    };
  },
});

import { isBelow } from '../../../kubelet/paths.ts';
import { type Draft, defineRule } from '../../define-rule.ts';
import { type KubeletRoot, kubeletRootOf, registersElsewhere } from '../../registration.ts';
import type { DriverView, NodeView } from '../../view.ts';

type Reason = 'registry-elsewhere' | 'endpoint-elsewhere';

/** The commonest public fault of all: a driver deployed for another kubelet root (kubernetes/kubernetes#140754). */
export default defineRule<Reason>({
  id: 'wrong-root',
  incident: 'registration',
  scope: 'driver',
  title: 'The driver was deployed for another kubelet root',
  needs: [],
  reasons: {
    'registry-elsewhere':
      "The registrar writes its socket to a folder that is not this kubelet's plugins_registry.",
    'endpoint-elsewhere':
      "The registrar tells kubelet a CSI socket that is not below kubelet's root, so nothing is there.",
  },
  check(driver, node) {
    const root = kubeletRootOf(node);
    if (!root || !driver.pod) return {};
    const { registryPath, registrationPath } = driver.pod;
    const found: Draft<Reason>[] = [];
    if (registersElsewhere(driver, node))
      found.push(draft(driver, node, 'registry-elsewhere', registryPath, root));
    else if (registrationPath && !isBelow(registrationPath, root.path))
      found.push(draft(driver, node, 'endpoint-elsewhere', registrationPath, root));
    return { found };
  },
});

function draft(
  driver: DriverView,
  node: NodeView,
  reason: Reason,
  path: string,
  root: KubeletRoot,
): Draft<Reason> {
  const owner = driver.pod?.owner ?? 'its owner';
  return {
    reason,
    severity: 'error',
    subject: { node: node.node.name, driver: driver.driver, ...(driver.pod && { pod: driver.pod.key }) },
    summary: `${driver.driver} uses ${path}, but kubelet's root is ${root.path}`,
    proofs: [
      { what: `kubelet's root is ${root.path}`, source: root.source },
      { what: `the pod uses ${path}`, source: `pod ${driver.pod?.key.namespace}/${driver.pod?.key.name}` },
    ],
    cure: `set the kubelet directory of ${owner} to ${root.path} (kubeletDir or kubeletRootDir in most Helm charts); do not make the other folder by hand, it hides the fault`,
  };
}

import { isBelow, isIgnoredName, longestSocketPath } from '../../../kubelet/paths.ts';
import type { RegistryEntry } from '../../../model/evidence.ts';
import { type Draft, defineRule } from '../../define-rule.ts';
import { checkEntries, socketPath } from '../../registration.ts';
import type { NodeView } from '../../view.ts';

type Reason = 'name' | 'dot-name' | 'endpoint' | 'too-long';

export default defineRule<Reason>({
  id: 'socket-convention',
  incident: 'registration',
  scope: 'node',
  title: 'A registration socket against the conventions',
  needs: ['agent'],
  reasons: {
    name: 'node-driver-registrar names its socket DRIVER-reg.sock; tools and people look for that name.',
    'dot-name': 'Kubelet ignores names that begin with a dot, so this driver is never registered.',
    endpoint: "The CSI endpoint is not below kubelet's root.",
    'too-long':
      'The path is longer than the 107 bytes that a unix socket address can hold, so kubelet cannot connect.',
  },
  check: (node) => checkEntries(node, (entry) => breaches(node, entry)),
});

function breaches(node: NodeView, entry: RegistryEntry): readonly Draft<Reason>[] {
  if (!entry.socket) return [];
  const path = socketPath(node, entry);
  const draft = (
    reason: Reason,
    severity: Draft['severity'],
    summary: string,
    cure: string,
  ): Draft<Reason> => ({
    reason,
    severity,
    subject: { node: node.node.name, socket: path },
    summary,
    proofs: [{ what: summary, source: path }],
    cure,
  });
  const found: Draft<Reason>[] = [];
  const bytes = Buffer.byteLength(path);
  if (bytes > longestSocketPath)
    found.push(
      draft(
        'too-long',
        'error',
        `${path} is ${bytes} bytes long, ${longestSocketPath} are allowed`,
        'give the driver a shorter name or kubelet a shorter root',
      ),
    );
  const { registration, connect } = entry.socket;
  if (isIgnoredName(entry.name) && connect.state === 'accepted')
    found.push(
      draft(
        'dot-name',
        'error',
        `${path} is served, but kubelet ignores dot-names`,
        `kubectl csi heal --node ${node.node.name} puts the name back if an interrupted run left it; else let the registrar use a name without a dot`,
      ),
    );
  if (!registration.seen) return found;
  const { name, endpoint } = registration.value;
  if (!isIgnoredName(entry.name) && !entry.name.endsWith(`${name}-reg.sock`))
    found.push(
      draft(
        'name',
        'notice',
        `${path} registers ${name}; the usual name is ${name}-reg.sock`,
        'nothing to do, kubelet does not mind',
      ),
    );
  const root = node.evidence.seen ? node.evidence.value.root : undefined;
  if (root?.seen && endpoint !== '' && !isBelow(endpoint, root.value.path))
    found.push(
      draft(
        'endpoint',
        'warning',
        `${name} has its CSI socket at ${endpoint}, not below ${root.value.path}`,
        `set --kubelet-registration-path to a path below ${root.value.path}/plugins`,
      ),
    );
  return found;
}

import { isBelow, isIgnoredName, longestSocketPath } from '../../../kubelet/paths.ts';
import type { RegistryEntry } from '../../../model/evidence.ts';
import type { HostPath } from '../../../model/ids.ts';
import { type Draft, defineRule } from '../../define-rule.ts';
import { checkEntries, socketPath } from '../../registration.ts';
import type { NodeView } from '../../view.ts';

type Reason = 'name' | 'dot-name' | 'endpoint' | 'too-long' | 'link';

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
    link: 'Kubelet follows a symbolic link: it registers the driver under the name of the link, and then refuses the real socket as a second one.',
  },
  check: (node) => checkEntries(node, (entry) => breaches(node, entry)),
});

type Breach = Omit<Draft<Reason>, 'subject' | 'proofs'>;

function breaches(node: NodeView, entry: RegistryEntry): readonly Draft<Reason>[] {
  const path = socketPath(node, entry);
  if (entry.kind === 'link') return drafts([linked(node, entry, path)], node, path);
  if (!entry.socket) return [];
  return drafts(
    [tooLong(path), dotName(node, entry, path), oddName(entry, path), oddEndpoint(node, entry)],
    node,
    path,
  );
}

const drafts = (found: readonly (Breach | undefined)[], node: NodeView, path: HostPath) =>
  found
    .filter((breach) => breach !== undefined)
    .map((breach) => ({
      ...breach,
      subject: { node: node.node.name, socket: path },
      proofs: [{ what: breach.summary, source: path }],
    }));

function linked({ node }: NodeView, { name }: RegistryEntry, path: HostPath): Breach | undefined {
  if (isIgnoredName(name)) return undefined;
  return {
    reason: 'link',
    severity: 'error',
    summary: `${path} is a symbolic link: kubelet registers through it and refuses the socket that it leads to`,
    cure: `find out who makes the link, take it away on the node, then kubectl csi heal --node ${node.name}: when the link goes, kubelet forgets the driver until its socket is announced`,
  };
}

function tooLong(path: string): Breach | undefined {
  const bytes = Buffer.byteLength(path);
  if (bytes <= longestSocketPath) return undefined;
  return {
    reason: 'too-long',
    severity: 'error',
    summary: `${path} is ${bytes} bytes long, ${longestSocketPath} are allowed`,
    cure: 'give the driver a shorter name or kubelet a shorter root',
  };
}

function dotName({ node }: NodeView, { name, socket }: RegistryEntry, path: string): Breach | undefined {
  if (!isIgnoredName(name) || socket?.connect.state !== 'accepted') return undefined;
  return {
    reason: 'dot-name',
    severity: 'error',
    summary: `${path} is served, but kubelet ignores dot-names`,
    cure: `kubectl csi heal --node ${node.name} puts the name back if an interrupted run left it; else let the registrar use a name without a dot`,
  };
}

function oddName({ name, socket }: RegistryEntry, path: string): Breach | undefined {
  const registration = socket?.registration;
  if (!registration?.seen || isIgnoredName(name)) return undefined;
  const usual = `${registration.value.name}-reg.sock`;
  if (name.endsWith(usual)) return undefined;
  return {
    reason: 'name',
    severity: 'notice',
    summary: `${path} registers ${registration.value.name}; the usual name is ${usual}`,
    cure: 'nothing to do, kubelet does not mind',
  };
}

function oddEndpoint({ evidence }: NodeView, { socket }: RegistryEntry): Breach | undefined {
  const registration = socket?.registration;
  if (!registration?.seen || !evidence.seen || !evidence.value.root.seen) return undefined;
  const { name, endpoint } = registration.value;
  const { path } = evidence.value.root.value;
  if (endpoint === '' || isBelow(endpoint, path)) return undefined;
  return {
    reason: 'endpoint',
    severity: 'warning',
    summary: `${name} has its CSI socket at ${endpoint}, not below ${path}`,
    cure: `set --kubelet-registration-path to a path below ${path}/plugins`,
  };
}

import type { PodContainer } from '../../../model/pod.ts';
import { type Draft, defineRule, well } from '../../define-rule.ts';
import type { PodView } from '../../pod-view.ts';
import { podSubject, quote } from '../../pods.ts';
import type { SubPathView } from '../../view.ts';

type Reason = 'dead-bind' | 'refused';

/** Texts of kubelet_pods.go (makeMounts) and of pkg/volume/util/subpath. */
const isSubPath = ({ state, message }: PodContainer) =>
  state === 'waiting' && /subPath|volume-subpaths/.test(message);

/** Kubelet makes a bind mount of its own for every subPath before it makes the container. */
export default defineRule<Reason>({
  id: 'subpath-refused',
  incident: 'pods',
  scope: 'pod',
  link: 'container',
  title: "Kubelet cannot prepare the container's subPath",
  needs: [],
  reasons: {
    'dead-bind':
      "Kubelet's own bind mount of the subPath is dead, while the volume itself answers: kubelet compares the two and gives up.",
    refused: 'The directory that subPath names cannot be made or used in the volume.',
  },
  check(pod) {
    if (pod.condition !== 'starting') return well;
    const container = pod.facts.containers.find(isSubPath);
    if (!container) return well;
    const bind = deadBind(pod, container.name);
    return { found: [bind ? deadDraft(pod, container, bind) : refused(pod, container)] };
  },
});

const deadBind = ({ volumes }: PodView, container: string): SubPathView | undefined =>
  volumes
    .flatMap(({ published }) => (published.seen && published.value ? published.value.subPaths : []))
    .find(({ bind, layers }) => bind.container === container && layers.at(-1)?.state === 'dead');

const proof = ({ name, reason, message }: PodContainer) => ({
  what: quote(message),
  source: `container ${name}, ${reason}`,
});

const deadDraft = (pod: PodView, container: PodContainer, { bind }: SubPathView): Draft<Reason> => ({
  reason: 'dead-bind',
  severity: 'error',
  subject: podSubject(pod),
  summary: `kubelet's bind mount of a subPath of container ${container.name} is dead`,
  proofs: [{ what: `${bind.path} is dead`, source: 'statfs on the node' }, proof(container)],
  cure: `on ${pod.facts.node}, in kubelet's mount namespace: umount -l ${bind.path}; kubelet makes it anew at its next try`,
});

const refused = (pod: PodView, container: PodContainer): Draft<Reason> => ({
  reason: 'refused',
  severity: 'error',
  subject: podSubject(pod),
  summary: `the subPath of container ${container.name} cannot be used`,
  proofs: [proof(container)],
  cure: 'the message names the path: it must be a directory inside the volume, or one that may be made there (on object stores a prefix vanishes with its last object: put an object there)',
});

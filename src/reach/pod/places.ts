import type { V1Node, V1Pod } from '@kubernetes/client-node';
import type { Api } from '../../cluster/api.ts';
import { ApiError } from '../../cluster/errors.ts';
import type { Wire } from '../../kubelet/wire.ts';
import { errorText } from '../../model/error-text.ts';
import type { NodeName } from '../../model/ids.ts';
import { distinctPlaces, imagesOnNode } from './images.ts';
import { type Access, type DebugImage, podSpec, type Run } from './pod-spec.ts';

/** What the user fixed of where the debug pod runs. */
export interface PlaceOptions {
  readonly image?: string | undefined;
  readonly pullSecrets?: readonly string[] | undefined;
  readonly namespace?: string | undefined;
}

/** Where our pods go when the image does not tie them to another namespace. */
const homeNamespace = 'kube-system';

/**
 * Image and namespace for the debug pod, the likeliest first: images of pods on the node in those pods' namespaces, the
 * same images at home, then whatever else the node's runtime has.
 */
export async function placesOn(
  api: Api,
  node: NodeName,
  options: PlaceOptions,
  signal: AbortSignal,
): Promise<readonly DebugImage[]> {
  const atHome = (image: string): DebugImage => ({
    image,
    namespace: options.namespace ?? homeNamespace,
    pullSecrets: options.pullSecrets ?? [],
  });
  if (options.image) return [atHome(options.image)];
  const [pods, { status }] = await Promise.all([
    api.list<Wire<V1Pod>>('/api/v1/pods', { fieldSelector: `spec.nodeName=${node}` }, { signal }),
    api.get<Wire<V1Node>>(`/api/v1/nodes/${node}`, {}, { signal }),
  ]);
  const ofPods = imagesOnNode(pods);
  const others = (status?.images ?? []).flatMap(({ names }) => names?.at(-1) ?? []);
  const home = [...ofPods.map(({ image }) => image), ...others.slice(0, mostOthers)].map(atHome);
  return distinctPlaces(options.namespace ? home : [...ofPods, ...home]);
}

/** Images without a pod that are tried; the runtime may have hundreds. */
const mostOthers = 5;

/** Asks the API server, by a dry run, whether a pod like ours may be in a namespace. One question a namespace. */
export class Admission {
  readonly #api: Api;
  readonly #run: Run;
  readonly #access: Access;
  readonly #asked = new Map<string, Promise<string | undefined>>();

  constructor(api: Api, run: Run, access: Access) {
    this.#api = api;
    this.#run = run;
    this.#access = access;
  }

  /** @returns why not, with the remedy; undefined where it may */
  refusal(place: DebugImage, node: NodeName): Promise<string | undefined> {
    const asked = this.#asked.get(place.namespace) ?? this.#ask(place, node);
    this.#asked.set(place.namespace, asked);
    return asked;
  }

  async #ask(image: DebugImage, node: NodeName): Promise<string | undefined> {
    const request = {
      name: 'kubectl-csi-dry-run',
      configMap: 'none',
      node,
      image,
      access: this.#access,
      run: this.#run,
    };
    const pod = podSpec({ ...request, command: ['version'] });
    try {
      await this.#api.create(`/api/v1/namespaces/${image.namespace}/pods`, pod, { dryRun: 'All' });
      return undefined;
    } catch (error) {
      return refusalText(error, image.namespace);
    }
  }
}

function refusalText(error: unknown, namespace: string): string {
  const text = errorText(error);
  if (error instanceof ApiError && /violates PodSecurity/.test(text))
    return `namespace ${namespace} refuses privileged pods (${text}); name another with --debug-namespace, or allow it: kubectl label namespace ${namespace} --overwrite pod-security.kubernetes.io/enforce=privileged`;
  if (error instanceof ApiError && /security context constraint/.test(text))
    return `${text}; on OpenShift let the user's service account use the privileged SCC`;
  return error instanceof ApiError ? `${text}. ${error.next}` : text;
}

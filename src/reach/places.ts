import type { V1Pod } from '@kubernetes/client-node';
import type { Api } from '../cluster/api.ts';
import { ApiError, errorText } from '../cluster/errors.ts';
import type { Wire } from '../kubelet/wire.ts';
import type { NodeName } from '../model/ids.ts';
import { imagesOnNode } from './images.ts';
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
 * Image and namespace for the debug pod, the likeliest first. An image from a pod is tried in that pod's namespace,
 * and then at home.
 */
export async function placesOn(
  api: Api,
  node: NodeName,
  options: PlaceOptions,
  signal: AbortSignal,
): Promise<readonly DebugImage[]> {
  const home = options.namespace ?? homeNamespace;
  const given = options.image;
  if (given) return [{ image: given, namespace: home, pullSecrets: options.pullSecrets ?? [] }];
  const query = { fieldSelector: `spec.nodeName=${node}` };
  const pods = await api.list<Wire<V1Pod>>('/api/v1/pods', query, { signal });
  const found = imagesOnNode(pods);
  if (options.namespace)
    return found.map((place) => ({ ...place, namespace: home, pullSecrets: options.pullSecrets ?? [] }));
  return [
    ...found,
    ...found
      .filter(({ namespace }) => namespace !== home)
      .map(({ image }) => ({ image, namespace: home, pullSecrets: [] })),
  ];
}

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
    return `namespace ${namespace} refuses privileged pods (${text}); name another with --debug-namespace, or label one: kubectl label namespace NAME pod-security.kubernetes.io/enforce=privileged`;
  if (error instanceof ApiError && /security context constraint/.test(text))
    return `${text}; on OpenShift let the user's service account use the privileged SCC`;
  return error instanceof ApiError ? `${text}. ${error.next}` : text;
}

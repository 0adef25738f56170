import type { V1Node, V1Secret } from '@kubernetes/client-node';
import type {
  Attachment,
  AudienceToken,
  Claim,
  CsiDriverObject,
  PersistentVolume,
  Pod,
  ReplayInput,
  SecretData,
  UsedVolume,
  VolumeObjects,
} from '../../kubelet/publish/input.ts';
import { needsOf, type TokenRequestSpec } from '../../kubelet/publish/needs.ts';
import type { NodeCapability } from '../../kubelet/publish/request.ts';
import { Secret } from '../../kubelet/publish/secret.ts';
import type { VolumeData } from '../../kubelet/volume-data.ts';
import type { Wire } from '../../kubelet/wire.ts';
import type { HostPath, NodeName, ObjectKey } from '../../model/ids.ts';
import { mapSeen, type Observed, seen, unseen } from '../../model/observed.ts';
import type { Api } from '../api.ts';
import { attempt, readIfThere } from '../attempt.ts';

/** What the node itself says of a volume. */
export interface ReplayContext {
  readonly node: NodeName;
  readonly kubeletRoot: HostPath;
  /** The driver's `NodeGetCapabilities`. */
  readonly capabilities: ReadonlySet<NodeCapability>;
  /** vol_data.json beside the published volume. */
  readonly volData: Observed<VolumeData>;
}

interface Reader {
  readonly api: Api;
  readonly signal: AbortSignal;
}

/**
 * Everything that kubelet's request for a volume is made of, read now. What cannot be read is `unseen` with the right
 * that is missing; nothing is read that the request does not need.
 * @throws the signal's reason
 */
export async function readReplayInput(
  api: Api,
  use: UsedVolume,
  context: ReplayContext,
  signal: AbortSignal,
): Promise<ReplayInput> {
  const reader = { api, signal };
  const objects = await readObjects(reader, use, context);
  const { kubeletRoot, volData } = context;
  return { ...objects, kubeletRoot, volData, ...(await readNeeds(reader, objects)) };
}

async function readObjects(reader: Reader, use: UsedVolume, context: ReplayContext): Promise<VolumeObjects> {
  const { node, capabilities } = context;
  const [kubeletVersion, pod, claim, persistentVolume, csiDriver] = await Promise.all([
    read<Wire<V1Node>>(reader, `/api/v1/nodes/${segment(node)}`),
    read<Pod>(reader, namespaced(use.pod, 'pods')),
    use.claim && read<Claim>(reader, namespaced(use.claim, 'persistentvolumeclaims')),
    use.persistentVolume === undefined
      ? undefined
      : read<PersistentVolume>(reader, `/api/v1/persistentvolumes/${segment(use.persistentVolume)}`),
    readCsiDriver(reader, use.driver),
  ]);
  return {
    use,
    node,
    capabilities,
    pod,
    csiDriver,
    kubeletVersion: mapSeen(kubeletVersion, ({ status }) => status?.nodeInfo?.kubeletVersion ?? ''),
    ...(claim && { claim }),
    ...(persistentVolume && { persistentVolume }),
  };
}

const segment = encodeURIComponent;
const namespaced = ({ namespace, name }: ObjectKey, resource: string) =>
  `/api/v1/namespaces/${segment(namespace)}/${resource}/${segment(name)}`;

const read = <T>({ api, signal }: Reader, path: string): Promise<Observed<T>> =>
  attempt(api.get<T>(path, {}, { signal }), signal);

/** A CSIDriver that does not exist is an answer: kubelet then takes its defaults. */
const readCsiDriver = (
  { api, signal }: Reader,
  name: string,
): Promise<Observed<CsiDriverObject | undefined>> =>
  readIfThere(api, `/apis/storage.k8s.io/v1/csidrivers/${segment(name)}`, signal);

type NeededObjects = Pick<ReplayInput, 'attachment' | 'stageSecret' | 'publishSecret' | 'tokens'>;

async function readNeeds(reader: Reader, objects: VolumeObjects): Promise<NeededObjects> {
  const needs = needsOf(objects);
  if (!needs || !objects.pod.seen) return {};
  const { attachment: name, tokens: audiences } = needs;
  const [attachment, stageSecret, publishSecret, tokens] = await Promise.all([
    name === undefined
      ? undefined
      : read<Attachment>(reader, `/apis/storage.k8s.io/v1/volumeattachments/${segment(name)}`),
    needs.stageSecret && readSecret(reader, needs.stageSecret),
    needs.publishSecret && readSecret(reader, needs.publishSecret),
    audiences.length > 0 ? readTokens(reader, objects.pod.value, audiences) : undefined,
  ]);
  return {
    ...(attachment && { attachment }),
    ...(stageSecret && { stageSecret }),
    ...(publishSecret && { publishSecret }),
    ...(tokens && { tokens }),
  };
}

async function readSecret(reader: Reader, key: ObjectKey): Promise<Observed<SecretData>> {
  const secret = await read<Wire<V1Secret>>(reader, namespaced(key, 'secrets'));
  return mapSeen(secret, ({ data = {} }) =>
    Object.fromEntries(
      Object.entries(data ?? {}).map(([name, value]) => [name, new Secret(Buffer.from(value, 'base64'))]),
    ),
  );
}

/** The answer of the TokenRequest API, as far as it is used. */
interface TokenRequestAnswer {
  readonly status?: { readonly token: string; readonly expirationTimestamp: string };
}

/** One token an audience, bound to the pod as kubelet's are (podServiceAccountTokenAttrs of csi_mounter.go). */
async function readTokens(
  reader: Reader,
  pod: Pod,
  audiences: readonly TokenRequestSpec[],
): Promise<Observed<readonly AudienceToken[]>> {
  const answers = await Promise.all(audiences.map((audience) => readToken(reader, pod, audience)));
  const missing = answers.find((answer) => !answer.seen);
  if (missing && !missing.seen) return missing;
  return seen(answers.flatMap((answer) => (answer.seen ? [answer.value] : [])));
}

async function readToken(
  { api, signal }: Reader,
  { metadata, spec }: Pod,
  { audience, expirationSeconds }: TokenRequestSpec,
): Promise<Observed<AudienceToken>> {
  const account = { namespace: metadata?.namespace ?? '', name: spec?.serviceAccountName ?? '' };
  const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: metadata?.name, uid: metadata?.uid };
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: audience ? [audience] : [], expirationSeconds, boundObjectRef },
  };
  const path = `${namespaced(account, 'serviceaccounts')}/token`;
  const created = await attempt(api.create<TokenRequestAnswer>(path, request, {}, { signal }), signal);
  if (!created.seen) return created;
  const { status } = created.value.object;
  if (!status) return unseen(`the API server gave no token for service account ${account.name}`);
  const { token, expirationTimestamp } = status;
  return seen({ audience, token: new Secret(token), expirationTimestamp });
}

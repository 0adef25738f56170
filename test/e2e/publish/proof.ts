import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { dirname } from 'node:path';
import { type DescMessage, type MessageShape, toJson } from '@bufbuild/protobuf';
import type { V1PersistentVolume, V1PersistentVolumeClaim, V1Pod } from '@kubernetes/client-node';
import type { Api } from '../../../src/cluster/api.ts';
import { connect } from '../../../src/cluster/connect.ts';
import { readReplayInput } from '../../../src/cluster/snapshot/volume-objects.ts';
import { volumeUses } from '../../../src/cluster/snapshot/volume-uses.ts';
import { type Ownership, type Replay, replayOf } from '../../../src/kubelet/publish/index.ts';
import { volumeData } from '../../../src/kubelet/volume-data.ts';
import type { Wire } from '../../../src/kubelet/wire.ts';
import { hostPath, keyText, nodeName } from '../../../src/model/ids.ts';
import { seen, unseen } from '../../../src/model/observed.ts';
import type { VolumeUse } from '../../../src/model/snapshot.ts';
import {
  NodePublishVolumeRequestSchema,
  NodeStageVolumeRequestSchema,
} from '../../../src/reach/csi/gen/csi/v1/csi_pb.js';
import { publishMessage, stageMessage } from '../../../src/reach/csi/messages.ts';
import { type NodeClient, nodeClient } from '../../../src/reach/csi/node-client.ts';
import { type Cluster, type DeployedDriver, waitUntil } from '../../cluster/index.ts';
import { namespace } from '../../cluster/manifests/driver.ts';
import { attachVolumes } from './attacher.ts';
import { createAll } from './create.ts';
import type { Method, PublishCase } from './define-case.ts';
import { deployDrivers } from './deploy.ts';
import { type DriverClass, driverNamespace } from './drivers.ts';
import { caseObjects, commonObjects, namespaceOf, otherNamespace } from './objects.ts';
import { type Call, callsOf, type RecordedRequest, readCalls } from './record.ts';

export type Recorded = { readonly [method in Method]?: RecordedRequest };
export type Replayed = Recorded & { readonly ownership?: Ownership };
type Request = Extract<Replay, { readonly kind: 'request' }>;

export interface Proof {
  /** The requests that are to reach the driver. */
  methods(test: PublishCase): readonly Method[];
  /** What kubelet sent. */
  recorded(test: PublishCase): Promise<Recorded>;
  /** What is built from the API, in protobuf's canonical JSON. */
  replayed(test: PublishCase): Promise<Replayed>;
  /** What the driver gets when the replay is sent to it. */
  sent(test: PublishCase, method: Method): Promise<RecordedRequest | undefined>;
  /** The group of the volume's root is fsGroup exactly where kubelet is to see to it. */
  assertGroup(test: PublishCase): Promise<void>;
  stop(): Promise<void>;
}

const root = '/var/lib/kubelet';

/** Deploys all drivers and all pods at once, and returns when kubelet has sent what it is to send. */
export async function startProof(cluster: Cluster, cases: readonly PublishCase[]): Promise<Proof> {
  const { api } = await connect({ kubeconfig: cluster.kubeconfig, env: {} });
  await createAll(api, [namespace(driverNamespace), namespace(otherNamespace)]);
  const drivers = await deployDrivers(cluster, api, new Set(cases.map(({ driver }) => driver)));
  await createAll(api, [...commonObjects, ...cases.flatMap(caseObjects)]);
  const stopped = new AbortController();
  const attacher = attachVolumes(api, cases, stopped.signal);
  const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(600_000)]);
  const bench: Bench = { cluster, api, drivers, uses: new Map(), clients: new Map(), signal };
  await waitRecorded(bench, cases);
  for (const use of await readUses(api)) bench.uses.set(keyText(use.pod), use);
  const requests = new Map<PublishCase, Request>();
  return {
    methods,
    recorded: async (test) => recorded(bench, test),
    replayed: async (test) => {
      const request = await buildRequest(bench, test);
      requests.set(test, request);
      return asRecorded(request, methods(test));
    },
    sent: (test, method) => send(bench, test, existing(requests.get(test)), method),
    assertGroup: (test) => assertGroup(bench, test, existing(requests.get(test))),
    stop: async () => {
      stopped.abort();
      for (const client of bench.clients.values()) client.close();
      await attacher;
    },
  };
}

interface Bench {
  readonly cluster: Cluster;
  readonly api: Api;
  readonly drivers: ReadonlyMap<DriverClass, DeployedDriver>;
  /** By pod. */
  readonly uses: Map<string, VolumeUse>;
  readonly clients: Map<DriverClass, NodeClient>;
  readonly signal: AbortSignal;
}

function existing<T>(value: T | undefined): T {
  assert(value !== undefined);
  return value;
}

const staging: readonly DriverClass[] = ['staged', 'capable', 'informed', 'attached', 'undeclared'];

const methods = (test: PublishCase): readonly Method[] =>
  test.requests ?? (staging.includes(test.driver) ? ['stage', 'publish'] : ['publish']);

const nodeOf = ({ cluster }: Bench) => existing(cluster.nodes[0]);
const driverOf = ({ drivers }: Bench, test: PublishCase) => existing(drivers.get(test.driver));

async function readUses(api: Api): Promise<readonly VolumeUse[]> {
  const [pods, claims, volumes] = await Promise.all([
    api.list<Wire<V1Pod>>('/api/v1/pods'),
    api.list<Wire<V1PersistentVolumeClaim>>('/api/v1/persistentvolumeclaims'),
    api.list<Wire<V1PersistentVolume>>('/api/v1/persistentvolumes'),
  ]);
  return volumeUses(pods, claims, volumes);
}

async function waitRecorded(bench: Bench, cases: readonly PublishCase[]): Promise<void> {
  const missing = async () => {
    for (const use of await readUses(bench.api)) bench.uses.set(keyText(use.pod), use);
    return cases.filter((test) => methods(test).some((method) => !recorded(bench, test)[method]));
  };
  await waitUntil('kubelet to send every request', async () => (await missing()).length === 0, {
    timeoutMs: 300_000,
    intervalMs: 1_000,
    describe: async () => `none yet for ${(await missing()).map(({ id }) => id).join(', ')}`,
  });
}

const useOf = (bench: Bench, test: PublishCase) =>
  bench.uses.get(keyText({ namespace: namespaceOf(test), name: test.id }));

/** The first request of each method: kubelet's, since it is waited for before any replay is sent. */
function recorded(bench: Bench, test: PublishCase): Recorded {
  const found = (['stage', 'publish'] as const).map((method) => [
    method,
    calls(bench, test, method)[0]?.request,
  ]);
  return Object.fromEntries(found.filter(([, request]) => request !== undefined));
}

function calls(bench: Bench, test: PublishCase, method: Method): readonly Call[] {
  const use = useOf(bench, test);
  if (!use) return [];
  return callsOf(readCalls(nodeOf(bench), driverOf(bench, test)), method, use.volumeHandle, use.podUid);
}

/** The driver's node service, through its socket on the node. */
function clientOf(bench: Bench, test: PublishCase): NodeClient {
  const known = bench.clients.get(test.driver);
  if (known) return known;
  const socket = nodeOf(bench).hostPath(`${driverOf(bench, test).pluginFolder}/csi.sock`);
  const client = nodeClient(connectSocket(socket));
  bench.clients.set(test.driver, client);
  return client;
}

async function buildRequest(bench: Bench, test: PublishCase): Promise<Request> {
  const use = existing(useOf(bench, test));
  const context = {
    node: nodeName(nodeOf(bench).name),
    kubeletRoot: hostPath(root),
    capabilities: await clientOf(bench, test).capabilities(bench.signal),
    volData: readVolumeData(bench, test),
  };
  const replay = replayOf(await readReplayInput(bench.api, use, context, bench.signal));
  assert(replay.kind === 'request', JSON.stringify(replay));
  return replay;
}

/** vol_data.json beside the volume; kubelet removes it where the driver refuses the volume. */
function readVolumeData(bench: Bench, test: PublishCase) {
  const [call] = calls(bench, test, 'publish');
  const target = dirname(call?.request.targetPath ?? '');
  const folder = target.replace(/volumeDevices\/publish\/(.*)$/, 'volumeDevices/$1/data');
  if (call?.code !== 'OK') return unseen('the driver refused the volume');
  return seen(existing(volumeData(readFileSync(nodeOf(bench).hostPath(`${folder}/vol_data.json`), 'utf8'))));
}

const json = <Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>) =>
  toJson(schema, message) as RecordedRequest;

function asRecorded({ stage, publish, ownership }: Request, wanted: readonly Method[]): Replayed {
  return {
    ...(stage &&
      wanted.includes('stage') && { stage: json(NodeStageVolumeRequestSchema, stageMessage(stage)) }),
    ...(wanted.includes('publish') && {
      publish: json(NodePublishVolumeRequestSchema, publishMessage(publish)),
    }),
    ...(ownership && { ownership }),
  };
}

/** Sends a request to the driver, for which kubelet's own was enough, and returns what it recorded. */
async function send(bench: Bench, test: PublishCase, request: Request, method: Method) {
  const client = clientOf(bench, test);
  const before = calls(bench, test, method).length;
  const call =
    method === 'stage'
      ? client.stage(existing(request.stage), bench.signal)
      : client.publish(request.publish, bench.signal);
  await call.catch((error: unknown) => assert.match(String(error), /InvalidArgument: .*not block volumes/));
  return calls(bench, test, method).slice(before).at(-1)?.request;
}

async function assertGroup(bench: Bench, test: PublishCase, { publish, ownership }: Request): Promise<void> {
  const { volumeCapability: capability, targetPath } = publish;
  if (capability.kind === 'block' || capability.volumeMountGroup !== undefined) return;
  const path = nodeOf(bench).hostPath(targetPath);
  const group = async () => statSync(path).gid;
  const wanted = ownership?.gid ?? 0;
  await waitUntil(`${test.id} to belong to group ${wanted}`, async () => (await group()) === wanted, {
    timeoutMs: 20_000,
    describe: async () => `it belongs to ${await group()}`,
  });
}

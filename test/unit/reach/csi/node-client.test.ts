import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Http2Server } from 'node:http2';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { Duplex, PassThrough } from 'node:stream';
import { create } from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter, type ServiceImpl } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { afterEach, describe, it } from 'mocha';
import type { PublishRequest } from '../../../../src/kubelet/publish/request.ts';
import { Secret } from '../../../../src/kubelet/publish/secret.ts';
import { hostPath } from '../../../../src/model/ids.ts';
import {
  Identity,
  Node,
  NodeGetCapabilitiesResponseSchema,
  type NodePublishVolumeRequest,
} from '../../../../src/reach/csi/gen/csi/v1/csi_pb.js';
import { type NodeClient, nodeClient } from '../../../../src/reach/csi/node-client.ts';

/** The tests' own time limits end what hangs. */
const { signal: live } = new AbortController();
const target = hostPath('/pods/uid/mount');

const request: PublishRequest = {
  volumeId: 'handle',
  publishContext: { lun: '7' },
  targetPath: target,
  volumeCapability: { accessMode: 'SINGLE_NODE_WRITER', kind: 'mount', fsType: 'ext4', mountFlags: ['ro'] },
  readonly: true,
  secrets: { password: new Secret('open sesame') },
  volumeContext: { plain: 'seen', tokens: new Secret('token-value') },
};

const rpc = (type: number) => ({ type: { case: 'rpc', value: { type } } }) as const;

describe('the client of a node service', () => {
  let server: Http2Server;
  let client: NodeClient;

  /** A gRPC server that speaks HTTP/2 in the clear, as drivers do on their sockets. */
  async function open(
    node: Partial<ServiceImpl<typeof Node>>,
    identity: Partial<ServiceImpl<typeof Identity>> = {},
  ) {
    const routes = (router: ConnectRouter) => router.service(Node, node).service(Identity, identity);
    server = createServer(connectNodeAdapter({ routes }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = nodeClient(connectSocket((server.address() as AddressInfo).port, '127.0.0.1'), {
      mountMs: 10_000,
      questionMs: 300,
    });
    return client;
  }
  afterEach(() => {
    client.close();
    server.close();
  });

  it('sends a request with its secrets', async () => {
    let got: NodePublishVolumeRequest | undefined;
    const { publish } = await open({
      nodePublishVolume: (message) => {
        got = message;
        return {};
      },
    });
    await publish(request, live);
    assert.deepEqual(got?.secrets, { password: 'open sesame' });
    assert.deepEqual(got?.volumeContext, { plain: 'seen', tokens: 'token-value' });
    assert.deepEqual(got?.volumeCapability?.accessType.value, {
      $typeName: 'csi.v1.VolumeCapability.MountVolume',
      fsType: 'ext4',
      mountFlags: ['ro'],
      volumeMountGroup: '',
    });
    assert.equal(got?.readonly, true);
  });

  it("says what failed in gRPC's words, without the secrets that the driver quotes", async () => {
    const { publish } = await open({
      nodePublishVolume: () => {
        throw new ConnectError('bad password "open sesame" with token-value', Code.Internal);
      },
    });
    await assert.rejects(publish(request, live), {
      name: 'CsiCallError',
      method: 'NodePublishVolume',
      message: 'NodePublishVolume: Internal: bad password "[secret]" with [secret]',
    });
  });

  it('unpublishes and unstages what it names', async () => {
    const got: unknown[] = [];
    const { unpublish, unstage } = await open({
      nodeUnpublishVolume: ({ volumeId, targetPath }) => {
        got.push({ volumeId, targetPath });
        return {};
      },
      nodeUnstageVolume: ({ volumeId, stagingTargetPath }) => {
        got.push({ volumeId, stagingTargetPath });
        return {};
      },
    });
    await unpublish(request, live);
    await unstage({ volumeId: 'handle', stagingTargetPath: target }, live);
    assert.deepEqual(got, [
      { volumeId: 'handle', targetPath: target },
      { volumeId: 'handle', stagingTargetPath: target },
    ]);
  });

  it('names capabilities, and leaves out those that it does not know', async () => {
    const answer = { capabilities: [rpc(1), rpc(0), rpc(6), rpc(99), {}] };
    const { capabilities } = await open({
      nodeGetCapabilities: () => create(NodeGetCapabilitiesResponseSchema, answer),
    });
    assert.deepEqual([...(await capabilities(live))], ['STAGE_UNSTAGE_VOLUME', 'VOLUME_MOUNT_GROUP']);
  });

  it('takes a driver that does not say whether it is ready for ready', async () => {
    const { probe } = await open({}, { probe: () => ({}) });
    assert.equal(await probe(live), true);
  });

  it('believes a driver that is not ready', async () => {
    const { probe } = await open({}, { probe: () => ({ ready: false }) });
    assert.equal(await probe(live), false);
  });

  it('tells bytes from inodes', async () => {
    const usage = (unit: number) => ({ unit, available: 1n, total: 2n, used: 1n });
    const { stats } = await open({ nodeGetVolumeStats: () => ({ usage: [usage(1), usage(2), usage(0)] }) });
    const units = (await stats('handle', target, live)).map(({ unit, total }) => `${unit} ${total}`);
    assert.deepEqual(units, ['bytes 2', 'inodes 2']);
  });

  it('ends when it is told to while the driver is mute', async () => {
    const { publish } = await open({ nodePublishVolume: () => new Promise(() => {}) });
    const reason = new Error('the lease is lost');
    const stop = new AbortController();
    setTimeout(() => stop.abort(reason), 50);
    await assert.rejects(publish(request, stop.signal), reason);
  });

  it('gives up on a mute driver by itself', async () => {
    const { probe } = await open({}, { probe: () => new Promise(() => {}) });
    await assert.rejects(probe(live), /^CsiCallError: Probe: DeadlineExceeded/);
  });

  it('says so when the socket closes', async () => {
    const { publish } = await open({
      nodePublishVolume: (_, { requestHeader }) => {
        assert(requestHeader);
        client.close();
        return new Promise(() => {});
      },
    });
    await assert.rejects(publish(request, live), { name: 'CsiCallError' });
  });

  it('says so at once when an exec stream to the socket ends', async () => {
    await open({ nodePublishVolume: () => new Promise(() => {}) });
    const socket = connectSocket((server.address() as AddressInfo).port, '127.0.0.1');
    const [up, down] = [new PassThrough(), new PassThrough()];
    up.pipe(socket).pipe(down, { end: false });
    const far = nodeClient(Duplex.from({ readable: down, writable: up }), {
      mountMs: 10_000,
      questionMs: 300,
    });
    setTimeout(() => down.end(), 100);
    await assert.rejects(far.publish(request, live), /Unavailable: the connection to the socket ended/);
    socket.destroy();
  }).timeout(2_000);
});

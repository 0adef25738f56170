import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'mocha';
import { type ReplayInput, replayOf } from '../../../../src/kubelet/publish/index.ts';
import { needsOf } from '../../../../src/kubelet/publish/needs.ts';
import { Secret } from '../../../../src/kubelet/publish/secret.ts';
import { seen, unseen } from '../../../../src/model/observed.ts';
import {
  csiDriver,
  inlineInput,
  input,
  persistentVolume,
  pod,
  published,
  requested,
  staged,
  token,
} from './fixture.ts';

const staging: Pick<ReplayInput, 'capabilities'> = { capabilities: new Set(['STAGE_UNSTAGE_VOLUME']) };
const tokensKey = 'csi.storage.k8s.io/serviceAccount.tokens';
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a replay', () => {
  it('needs nothing but the handle of a plain volume', () => {
    assert.deepEqual(requested(replayOf(input())), {
      kind: 'request',
      publish: {
        volumeId: 'handle',
        publishContext: {},
        targetPath: '/var/lib/kubelet/pods/pod-uid/volumes/kubernetes.io~csi/pv-1/mount',
        volumeCapability: { accessMode: 'SINGLE_NODE_WRITER', kind: 'mount', fsType: '', mountFlags: [] },
        readonly: false,
        secrets: {},
        volumeContext: {},
      },
    });
  });

  it('stages under the driver and the hash of the handle', () => {
    const path = `/var/lib/kubelet/plugins/kubernetes.io/csi/x.csi/${hash('handle')}/globalmount`;
    assert.equal(staged(replayOf(input(staging))).stagingTargetPath, path);
    assert.equal(published(replayOf(input(staging))).stagingTargetPath, path);
  });

  it("stages under the volume's name where kubelet is older than 1.24", () => {
    const replay = replayOf(input({ ...staging, kubeletVersion: seen('v1.23.17-eks-1') }));
    const path = '/var/lib/kubelet/plugins/kubernetes.io/csi/pv/pv-1/globalmount';
    assert.equal(staged(replay).stagingTargetPath, path);
  });

  it('never stages an inline volume, and names it by pod and volume', () => {
    const { stage, publish } = requested(replayOf(inlineInput({}, staging)));
    assert.equal(stage, undefined);
    assert.equal(publish.stagingTargetPath, undefined);
    assert.equal(publish.volumeId, `csi-${hash('pod-uiddata')}`);
    assert.match(publish.targetPath, /\/volumes\/kubernetes\.io~csi\/data\/mount$/);
  });

  it('takes the uid that kubelet gave a static pod, not that of its mirror', () => {
    const mirror = pod({ volumes: [{ name: 'data', csi: { driver: 'x.csi' } }] });
    const annotations = { 'kubernetes.io/config.mirror': 'static-uid' };
    const replay = replayOf(
      inlineInput({}, { pod: seen({ ...mirror, metadata: { ...mirror.metadata, annotations } }) }),
    );
    assert.match(published(replay).targetPath, /\/pods\/static-uid\//);
    assert.equal(published(replay).volumeId, `csi-${hash('static-uiddata')}`);
  });

  it('stages a block volume without flags, group or tokens, as csi_block.go does', () => {
    const spec = { volumeMode: 'Block', mountOptions: ['noexec'] };
    const given = input({
      capabilities: new Set(['STAGE_UNSTAGE_VOLUME', 'VOLUME_MOUNT_GROUP']),
      persistentVolume: seen(persistentVolume(spec)),
      pod: seen(pod({ securityContext: { fsGroup: 7 } })),
      csiDriver: seen(csiDriver({ tokenRequests: [{ audience: 'a' }], fsGroupPolicy: 'File' })),
    });
    const { stage, publish, ownership } = requested(replayOf(given));
    const devices = '/var/lib/kubelet/plugins/kubernetes.io/csi/volumeDevices';
    assert.deepEqual(stage?.volumeCapability, { accessMode: 'SINGLE_NODE_WRITER', kind: 'block' });
    assert.equal(stage?.stagingTargetPath, `${devices}/staging/pv-1`);
    assert.equal(publish.stagingTargetPath, `${devices}/staging/pv-1`);
    assert.equal(publish.targetPath, `${devices}/publish/pv-1/pod-uid`);
    assert.deepEqual(publish.volumeContext, {});
    assert.equal(ownership, undefined);
  });

  /** Tokens in the secrets: podServiceAccountTokenAttrs of v1.36.3 and v1.37.2. */
  for (const [version, place] of [
    ['v1.34.4', 'volumeContext'],
    ['v1.35.0', 'secrets'],
    ['v1.37.2+k3s1', 'secrets'],
  ] as const) {
    it(`has tokens that the CSIDriver wants in the secrets in ${place} with kubelet ${version}`, () => {
      const spec = { tokenRequests: [{ audience: 'a' }], serviceAccountTokenInSecrets: true };
      const publish = published(
        replayOf(
          input({
            kubeletVersion: seen(version),
            csiDriver: seen(csiDriver(spec)),
            tokens: seen([token('a')]),
            persistentVolume: seen(
              persistentVolume({}, { nodePublishSecretRef: { name: 's', namespace: 'n' } }),
            ),
            publishSecret: seen({ key: new Secret(Buffer.from('value')) }),
          }),
        ),
      );
      const { volumeContext, secrets } = publish;
      assert.deepEqual(Object.keys({ volumeContext, secrets }[place]).includes(tokensKey), true);
      assert.equal([volumeContext, secrets].filter((map) => tokensKey in map).length, 1);
      assert('key' in secrets);
    });
  }
});

describe('the needs of a volume', () => {
  it('are the attachment by handle, driver and node, and the secrets that are used', () => {
    const secret = (name: string) => ({ name, namespace: 'n' });
    const given = input({
      csiDriver: seen(undefined),
      persistentVolume: seen(
        persistentVolume({}, { nodeStageSecretRef: secret('s'), nodePublishSecretRef: secret('p') }),
      ),
    });
    const attachment = `csi-${hash('handlex.csiworker')}`;
    const plain = { attachment, publishSecret: secret('p'), tokens: [] };
    assert.deepEqual(needsOf(given), plain);
    assert.deepEqual(needsOf({ ...given, ...staging }), { ...plain, stageSecret: secret('s') });
  });

  it('are unknown where the volume is', () =>
    assert.equal(needsOf(input({ pod: unseen('gone') })), undefined));
});

/** AddSELinuxMountOption and VolumeSupportsSELinuxMount of pkg/volume/util/selinux.go; no live SELinux here. */
describe('the SELinux context', () => {
  const context = 'system_u:object_r:container_file_t:s0:c15,c25';
  const labels = seen(csiDriver({ seLinuxMount: true }));
  const flagsOf = (given: ReplayInput) => {
    const { volumeCapability } = published(replayOf(given));
    assert(volumeCapability.kind === 'mount');
    return volumeCapability.mountFlags;
  };
  const options = seen(persistentVolume({ mountOptions: ['noexec'] }));

  it('is the last mount option, in quotes, of stage and publish', () => {
    const volData = seen({ seLinuxMountContext: context });
    const given = input({ ...staging, csiDriver: labels, persistentVolume: options, volData });
    assert.deepEqual(flagsOf(given), ['noexec', `context="${context}"`]);
    assert.deepEqual(staged(replayOf(given)).volumeCapability, published(replayOf(given)).volumeCapability);
  });

  it('is left out where kubelet mounted without one', () => {
    assert.deepEqual(flagsOf(input({ csiDriver: labels, persistentVolume: options })), ['noexec']);
  });

  it('is left out where the driver does not take one, whatever can be seen', () => {
    assert.deepEqual(flagsOf(input({ volData: unseen('gone') })), []);
    assert.deepEqual(flagsOf(inlineInput({}, { csiDriver: labels, volData: unseen('gone') })), []);
  });
});

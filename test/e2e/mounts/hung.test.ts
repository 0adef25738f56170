import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { findIncident } from '../../cluster/index.ts';
import { csiJson } from '../registration/support/csi.ts';
import type { DoctorDocument, StatusDocument } from '../registration/support/documents.ts';
import { assertCleanDisk, targetsOf } from './support/disk.ts';
import { onNode } from './support/faults.ts';
import { repair } from './support/outcome.ts';
import { simplePod } from './support/pods.ts';
import { Scene } from './support/scene.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

describe('a FUSE daemon that hangs', function () {
  this.timeout(300_000);
  let shared: Shared;
  let scene: Scene;
  let restore: () => Promise<void>;

  const hang = async () => {
    const { cluster, node, drivers } = shared;
    const hungAt = Date.now();
    restore = await findIncident('hung-mount').apply(cluster, node, drivers.staging);
    await scene.waitFailing(hungAt);
  };

  before(async function () {
    this.timeout(1_200_000);
    shared = await sharedCluster();
    scene = await Scene.open(shared, 'hung', [simplePod('app')]);
    await publishBlock();
    await hang();
  });

  after(async function () {
    this.timeout(300_000);
    await restore?.();
    await onNode(shared.node, 'umount -l "$0" && rm "$0"', blockPath());
    await scene?.close();
  });

  const blockPath = () =>
    `${shared.node.kubeletRoot}/plugins/kubernetes.io/csi/volumeDevices/publish/disk/no-such-pod`;

  /** As a driver does that publishes a file of its file system as a block volume. */
  const publishBlock = async () => {
    const [target = ''] = await targetsOf(shared.node, await scene.uidOf('app'));
    const line = 'mkdir -p "$(dirname "$0")" && touch "$0" && mount --bind "$1" "$0"';
    await onNode(shared.node, line, blockPath(), `${target}/app-app.log`);
  };

  const blockFindings = ({ diagnosis }: DoctorDocument) =>
    diagnosis.findings.filter(({ rule }) => rule === 'block-volume').map(({ reason }) => reason);

  const look = <T>(command: string, ...args: readonly string[]) =>
    csiJson<T>(shared.cluster, [command, '--node', 'node-1', ...args]);

  it('hangs nobody who looks, and is found with the requests that wait', async () => {
    const { doc, code } = await look<DoctorDocument>('doctor');
    const hung = doc.diagnosis.findings.filter(({ rule }) => rule === 'mount-hung');
    assert.equal(hung.length, 1, JSON.stringify(doc.diagnosis));
    assert.match(hung[0]?.summary ?? '', /app of pod hung\/app gives no answer/);
    assert.match(hung[0]?.proofs[0]?.what ?? '', /gives no answer, [1-9]\d* requests wait for its daemon/);
    assert.match(hung[0]?.cure ?? '', /--max-risk destructive/);
    assert.deepEqual(blockFindings(doc), ['hung']);
    assert.equal(code, 1);
  });

  it('is counted in the table', async () => {
    const { doc } = await look<StatusDocument>('status', '--deep');
    const row = doc.rows.find(({ driver }) => driver === 's3.csi.test');
    assert.equal(row?.hung, 1, JSON.stringify(row));
    assert.equal(row?.verdict, 'error');
  });

  it('is left alone unless a destructive repair is allowed', async () => {
    const { attempts, refusals, code } = await repair(shared, 'heal', '--node', 'node-1');
    assert.deepEqual(attempts, []);
    assert.match(refusals.join('\n'), /abort-fuse: needs --max-risk destructive/);
    assert.match(refusals.join('\n'), /by hand: kubectl csi touches no block volume/);
    assert.equal(code, 1);
  });

  it('is well by itself when its daemon goes on', async () => {
    await restore();
    const continuedAt = Date.now();
    await scene.waitWell(continuedAt);
    const { doc, code } = await look<DoctorDocument>('doctor');
    assert.deepEqual(doc.diagnosis.findings, []);
    assert.equal(code, 0);
  });

  it('is aborted and mounted anew when that is allowed, with no restart', async () => {
    await hang();
    const args = ['--node', 'node-1', '--max-risk', 'destructive'];
    const { attempts, refusals, code } = await repair(shared, 'heal', ...args);
    const healedAt = Date.now();
    assert.equal(attempts.length, 1, attempts.join('\n'));
    assert.match(attempts[0] ?? '', /^abort-fuse: repaired/);
    assert.equal(code, 1);
    assert.match(refusals.join('\n'), /by hand: kubectl csi touches no block volume/);
    assert.deepEqual(blockFindings((await look<DoctorDocument>('doctor')).doc), ['dead']);
    await scene.waitWell(healedAt);
    await scene.assertStored();
    await assertCleanDisk(shared.node);
    assert.equal((await scene.running()).get('app/app')?.restarts, 0);
  });
});

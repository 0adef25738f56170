import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { findIncident } from '../../cluster/index.ts';
import { assertNothingLeft } from './support/cluster-state.ts';
import { csi, csiJson } from './support/csi.ts';
import { causes, type DoctorDocument, type StatusDocument } from './support/documents.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

describe('a capture', function () {
  this.timeout(120_000);
  let shared: Shared;
  let folder: string;
  let undo: () => Promise<void>;

  before(async function () {
    this.timeout(900_000);
    shared = await sharedCluster();
    folder = mkdtempSync(join(tmpdir(), 'kubectl-csi-capture-'));
    undo = await findIncident('orphaned-watch').apply(shared.cluster, shared.node, shared.driver);
  });
  after(async () => {
    await undo?.();
    rmSync(folder, { recursive: true });
  });

  const capture = async (name: string, ...args: string[]) => {
    const file = join(folder, name);
    const { code, stderr } = await csi(shared.cluster, ['capture', file, ...args]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^wrote .*: 2 nodes, 2 of them visited$/m);
    return file;
  };
  /** As a colleague reads it, who has no cluster. */
  const read = async <T>(file: string, ...args: string[]): Promise<{ code: number; doc: T }> => {
    const options = { kubeconfig: join(folder, 'no-such-kubeconfig') };
    const result = await csi(shared.cluster, [...args, '--from', file, '-o', 'json'], options);
    return {
      code: result.code,
      doc: JSON.parse(result.stdout || `{"error":${JSON.stringify(result.stderr)}}`),
    };
  };

  it('tells without a cluster what the cluster told', async () => {
    const file = await capture('plain.json');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const doctor = await csiJson<DoctorDocument>(shared.cluster, ['doctor']);
    const fromFile = await read<DoctorDocument>(file, 'doctor');
    assert.deepEqual(causes(fromFile.doc.diagnosis), ['registration-lost: orphaned-watch']);
    assert.deepEqual(
      fromFile.doc.diagnosis.findings.map(essence),
      doctor.doc.diagnosis.findings.map(essence),
    );
    assert.equal(fromFile.code, 1);
    const status = await read<StatusDocument>(file, 'status');
    assert.deepEqual(
      status.doc.rows.map(({ node, driver, verdict }) => `${node} ${driver} ${verdict}`),
      [
        'node-1 bind.csi.test error',
        'node-1 neighbour.csi.test ok',
        'node-2 bind.csi.test ok',
        'node-2 neighbour.csi.test ok',
      ],
    );
    assert.equal(status.code, 1);
    assert.equal((await read(file, 'status', '--node', 'node-2')).code, 0);
    const compared = await read<{ differences: { topic: string }[] }>(
      file,
      'doctor',
      '--node',
      'node-1',
      '--compare',
      'node-2',
    );
    assert.ok(compared.doc.differences.length > 0);
    await assertNothingLeft(shared.cluster);
  });

  it('holds no name when it is redacted, and tells the same', async () => {
    const { cluster, driver, neighbour, app } = shared;
    const file = await capture('redacted.json', '--redact');
    const text = readFileSync(file, 'utf8');
    const pods = await cluster.kubectlJson<{ items: { metadata: { name: string; uid: string } }[] }>([
      'get',
      'pods',
      '-A',
    ]);
    // The nodes are missing here: their names look like the tokens that stand for names.
    const names = [
      ...[driver, neighbour].flatMap(({ spec }) => [spec.name, spec.daemonSet]),
      ...pods.items.map(({ metadata }) => metadata.name).filter((name) => name !== app.spec.name),
      `"${app.spec.name}"`,
      '"csi"',
    ];
    assert.deepEqual(
      names.filter((name) => text.includes(name)),
      [],
    );
    const { doc, code } = await read<DoctorDocument>(file, 'doctor');
    assert.deepEqual(causes(doc.diagnosis), ['registration-lost: orphaned-watch']);
    assert.equal(code, 1);
  });

  it('is not written over another file, unless that is asked for', async () => {
    const file = await capture('twice.json');
    const again = await csi(shared.cluster, ['capture', file, '--no-deep']);
    assert.match(again.stderr, /exists already\n.*--overwrite/);
    assert.equal(again.code, 2);
    const size = statSync(file).size;
    assert.equal((await csi(shared.cluster, ['capture', file, '--no-deep', '--overwrite'])).code, 0);
    assert.notEqual(statSync(file).size, size);
  });
});

/** Findings are equal but for the time and process ids in their proofs. */
const essence = ({
  rule,
  reason,
  severity,
  subject,
  summary,
  cure,
}: DoctorDocument['diagnosis']['findings'][number]) => ({
  rule,
  reason,
  severity,
  subject,
  summary,
  cure,
});

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { type CsiOptions, csi } from './support/csi.ts';
import { type Shared, sharedCluster } from './support/shared.ts';

interface Wrong {
  readonly args: readonly string[];
  readonly code: number;
  /** The first line of stderr after `error: `. */
  readonly says: RegExp;
  /** The next line: what to type. */
  readonly next: RegExp;
}

const wrong: readonly Wrong[] = [
  {
    args: ['status', '--node', 'nowhere'],
    code: 2,
    says: /^there is no node "nowhere"$/,
    next: /kubectl get nodes/,
  },
  {
    args: ['status', '-l', 'tier=none'],
    code: 2,
    says: /^no node has the labels "tier=none"$/,
    next: /--show-labels/,
  },
  {
    args: ['doctor', '--driver', 'no.csi.test'],
    code: 2,
    says: /^no CSI driver "no\.csi\.test" is known/,
    next: /^Known are: bind\.csi\.test, neighbour\.csi\.test\.$/,
  },
  {
    args: ['status', '-l', 'a in (b'],
    code: 2,
    says: /--selector "a in \(b" is not understood/,
    next: /kubectl get -l/,
  },
  {
    args: ['status', '-o', 'xml'],
    code: 2,
    says: /output.*"xml"/,
    next: /table, wide, json, yaml.*name|json/,
  },
  { args: ['status', '--node', 'node-1', '-l', 'a=b'], code: 2, says: /--node and --selector/, next: /\S/ },
  {
    args: ['heal', '--max-risk', 'reckless', '--all'],
    code: 2,
    says: /"reckless"/,
    next: /safe, disruptive, destructive/,
  },
  { args: ['heal', '--all', '--node', 'node-1'], code: 2, says: /--all excludes/, next: /\S/ },
  { args: ['heal'], code: 2, says: /nobody can be asked/, next: /--node.*--all/ },
  { args: ['heal', '--dry-run=server', '--all'], code: 2, says: /"server"/, next: /none, client/ },
  { args: ['rescan'], code: 2, says: /where/, next: /--node.*--all/ },
  { args: ['status', '--node-timeout', 'soon'], code: 2, says: /"soon"/, next: /30s/ },
  { args: ['status', '--frobnicate'], code: 2, says: /frobnicate/, next: /kubectl csi status --help/ },
  { args: ['heel'], code: 2, says: /heel|heal/, next: /heal|--help/ },
  {
    args: ['doctor', '--compare', 'node-2'],
    code: 2,
    says: /--compare needs the other node/,
    next: /--node NODE/,
  },
  {
    args: ['status', '--from', '/no/such/file'],
    code: 2,
    says: /\/no\/such\/file/,
    next: /kubectl csi capture/,
  },
  { args: ['capture', '/no/such/folder/file'], code: 2, says: /\/no\/such\/folder/, next: /another file/ },
  { args: ['status', '--context', 'nothing'], code: 2, says: /nothing/, next: /--context: / },
];

describe('bad input', function () {
  this.timeout(60_000);
  let shared: Shared;
  let folder: string;

  before(async function () {
    this.timeout(900_000);
    shared = await sharedCluster();
    folder = mkdtempSync(join(tmpdir(), 'kubectl-csi-input-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const refuse = async ({ args, code, says, next }: Wrong, options: CsiOptions = {}) => {
    const result = await csi(shared.cluster, args, options);
    const [first = '', second = '', ...rest] = result.stderr.trimEnd().split('\n');
    assert.match(first, /^error: /, result.stderr);
    assert.match(first.replace('error: ', ''), says);
    assert.match(second, next, result.stderr);
    assert.deepEqual(rest, [], 'one sentence and what to type next');
    assert.equal(result.stdout, '');
    assert.equal(result.code, code, result.stderr);
  };

  for (const each of wrong) it(`is refused in words: ${each.args.join(' ')}`, () => refuse(each));

  const kubeconfig = (name: string, content: string) => {
    const file = join(folder, name);
    writeFileSync(file, content);
    return file;
  };

  it('names a kubeconfig that is not there, broken, or without a context', async () => {
    const missing = join(folder, 'missing');
    await refuse(
      { args: ['status'], code: 2, says: /missing/, next: /KUBECONFIG|--kubeconfig/ },
      { kubeconfig: missing },
    );
    const broken = kubeconfig('broken', 'clusters: [\n');
    await refuse({ args: ['status'], code: 2, says: /broken/, next: /\S/ }, { kubeconfig: broken });
    const empty = kubeconfig('empty', 'apiVersion: v1\nkind: Config\n');
    await refuse(
      { args: ['status'], code: 2, says: /context|kubeconfig/, next: /\S/ },
      { kubeconfig: empty },
    );
  });

  it('says that nothing listens where the API server should be', () =>
    refuse({
      args: ['status', '--server', 'https://127.0.0.1:9'],
      code: 3,
      says: /^nothing listens at 127\.0\.0\.1:9$/,
      next: /kubectl config view/,
    }));

  it('says that the API server gives no answer', async () => {
    shared.cluster.pauseApiServer();
    try {
      await refuse({
        args: ['status', '--request-timeout', '2s'],
        code: 3,
        says: /gave no answer in time$/,
        next: /--request-timeout/,
      });
    } finally {
      shared.cluster.resumeApiServer();
    }
  });

  it('says that the credentials are not accepted', async () => {
    const own = JSON.parse(readFileSync(shared.cluster.kubeconfig, 'utf8'));
    own.users[0].user = { token: 'wrong' };
    const stranger = kubeconfig('stranger', JSON.stringify(own));
    await refuse(
      { args: ['status'], code: 3, says: /Unauthorized/, next: /log in again/ },
      { kubeconfig: stranger },
    );
  });
});

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'mocha';
import { commands } from '../../../src/commands/index.gen.ts';
import { readCommandLine } from '../../../src/completion/command-line.ts';
import { complete } from '../../../src/completion/complete.ts';
import { flagValues } from '../../../src/completion/values.ts';

const world = { env: {}, version: '0.0.0' };
const wanted = (...words: string[]) => readCommandLine(words, commands).wanted;

describe('the word at the cursor', () => {
  const table: readonly (readonly [readonly string[], object])[] = [
    [[''], { kind: 'command', word: '' }],
    [['he'], { kind: 'command', word: 'he' }],
    [['--context', 'x', ''], { kind: 'command', word: '' }],
    [['--context', ''], { kind: 'value', flag: 'context', word: '', prefix: '' }],
    [['heal', '--no'], { kind: 'flag', word: '--no' }],
    [['heal', '--node', 'w'], { kind: 'value', flag: 'node', word: 'w', prefix: '' }],
    [['heal', '--node=w'], { kind: 'value', flag: 'node', word: 'w', prefix: '--node=' }],
    [['heal', '-n', 'k'], { kind: 'value', flag: 'namespace', word: 'k', prefix: '' }],
    [['heal', '--yes', 'p'], { kind: 'positional', name: 'target', word: 'p' }],
    [['heal', '--dry-run', 'p'], { kind: 'positional', name: 'target', word: 'p' }],
    [['heal', 'pod/a', ''], { kind: 'positional', name: undefined, word: '' }],
  ];
  for (const [words, expected] of table)
    it(JSON.stringify(words), () => {
      assert.deepEqual(wanted(...words), expected);
    });

  it('the flags before it are known', () => {
    const { flags } = readCommandLine(['heal', '-n', 'shop', '--context=prod', ''], commands);
    assert.deepEqual(flags, { namespace: 'shop', context: 'prod' });
  });
});

describe('what is offered', () => {
  const names: Readonly<Record<string, readonly string[]>> = {
    '/api/v1/nodes': ['worker-1', 'worker-2', 'control-1'],
    '/apis/storage.k8s.io/v1/csidrivers': ['s3.csi.test'],
    '/api/v1/namespaces/shop/pods': ['web-0', 'web-1'],
    '/apis/apps/v1/namespaces/csi/daemonsets': ['s3-csi-node', 'other'],
  };
  let server: Server;
  let connection: readonly string[];

  before(async () => {
    server = createServer(({ url = '' }, response) => {
      const items = (names[url.split('?')[0] ?? ''] ?? []).map((name) => ({ metadata: { name } }));
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ items }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    connection = ['--server', `http://127.0.0.1:${port}`, '--token', 't'];
  });
  after(() => server.closeAllConnections());
  after(() => server.close());

  const offered = (...words: string[]) => {
    const [command = '', ...rest] = words;
    return complete([command, ...connection, ...rest], commands, world);
  };

  it('commands with what they do', async () => {
    assert.match(await complete(['sta'], commands, world), /^status\tShow whether .*\n:4\n$/);
  });
  it('nodes that begin so', async () => {
    assert.equal(await offered('status', '--node', 'work'), 'worker-1\nworker-2\n:4\n');
  });
  it('a value behind an equals sign keeps its flag', async () => {
    assert.equal(await offered('status', '--driver=s'), '--driver=s3.csi.test\n:4\n');
  });
  it('pods of the namespace that is named', async () => {
    assert.equal(await offered('heal', '-n', 'shop', 'pod/'), 'pod/web-0\npod/web-1\n:4\n');
  });
  it('kinds go on without a space', async () => {
    assert.equal(await offered('heal', 'pv'), 'pv/\npvc/\n:6\n');
  });
  it('formats that the command has', async () => {
    assert.equal(await offered('status', '-o', 'd'), ':4\n');
    assert.equal(await offered('blast-radius', '-o', 'd'), 'dot\n:4\n');
  });
  it('DaemonSets of the namespace that is named', async () => {
    assert.equal(await offered('upgrade-check', ''), 'ds/\n:6\n');
    assert.equal(await offered('upgrade-check', '-n', 'csi', 'ds/s'), 'ds/s3-csi-node\n:4\n');
  });
  it('files where a file is wanted', async () => {
    assert.equal(await offered('status', '--from', ''), ':0\n');
    assert.equal(await offered('capture', ''), ':0\n');
  });
  it('nothing for what cannot be known', async () => {
    assert.equal(await offered('status', '--selector', ''), ':4\n');
    assert.equal(await offered('version', ''), ':4\n');
  });
  it('an error that the shell does not show, when nobody answers', async () => {
    const nowhere = ['status', '--server', 'http://127.0.0.1:1', '--node', ''];
    assert.equal(await complete(nowhere, commands, world), ':5\n');
  });

  it('every flag that it knows belongs to a command', () => {
    const known = new Set(commands.flatMap(({ options }) => Object.keys(options)).concat('kubeconfig'));
    assert.deepEqual(
      Object.keys(flagValues).filter((flag) => !known.has(flag)),
      [],
    );
  });
});

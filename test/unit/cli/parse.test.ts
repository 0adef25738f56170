import assert from 'node:assert/strict';
import { parseArguments } from '../../../src/cli/parse.ts';
import { UsageError } from '../../../src/cli/usage-error.ts';
import { commands } from '../../../src/commands/index.gen.ts';

const parse = (line: string) => parseArguments(line.split(' ').filter(Boolean), commands);

async function flagsOf(line: string): Promise<Readonly<Record<string, unknown>>> {
  const parsed = await parse(line);
  if (parsed.kind !== 'command') throw new Error(`"${line}" is no command`);
  return { command: parsed.command.id, ...parsed.flags };
}

async function textOf(line: string): Promise<string> {
  const parsed = await parse(line);
  if (parsed.kind !== 'text') throw new Error(`"${line}" is a command`);
  return parsed.text;
}

async function faultOf(line: string): Promise<string> {
  try {
    await parse(line);
  } catch (error) {
    if (error instanceof UsageError) return `${error.message} | ${error.next}`;
    throw error;
  }
  throw new Error(`"${line}" was understood`);
}

/** The part of an example that is ours: a shell may do more with it, and other commands may follow. */
const ownPart = (line: string) => line.split(/ [|>&;]|\$\(/)[0]?.trim() ?? '';
const ownExamples = ({ examples }: (typeof commands)[number]) =>
  examples.map(([line]) => ownPart(line)).filter((line) => line.startsWith('kubectl csi '));

describe('help', () => {
  it('lists every command', async () => {
    const text = await textOf('--help');
    for (const { id, summary } of commands)
      assert.match(text, new RegExp(`kubectl csi ${id}\\b.*${summary.slice(0, 20)}`));
  });

  for (const command of commands) {
    const { id, options, examples, description } = command;
    it(`of ${id} has its description, two examples and all its flags`, async () => {
      const text = await textOf(`${id} --help`);
      assert.ok(text.includes(description.slice(0, 40)));
      assert.ok(examples.length >= 2);
      const own = ownExamples(command);
      assert.ok(own.length >= 1);
      for (const line of own) {
        assert.match(line, new RegExp(`^kubectl csi ${id}\\b`));
        assert.ok(text.replaceAll(/\s+/g, ' ').includes(line.split(' ').slice(0, 4).join(' ')), line);
      }
      for (const flag of [...Object.keys(options), 'context', 'kubeconfig', 'as', 'request-timeout'])
        assert.match(text, new RegExp(`--${flag}\\b`));
      for (const line of text.split('\n')) assert.ok(line.length <= 100, line);
    });
  }

  for (const command of commands)
    it(`${command.id} has examples that can be parsed`, async () => {
      for (const line of ownExamples(command))
        assert.equal((await flagsOf(line.replace('kubectl csi ', ''))).command, command.id, line);
    });
});

describe('the command line', () => {
  it('has the defaults of a command', async () => {
    const flags = await flagsOf('status');
    assert.equal(flags.command, 'status');
    assert.deepEqual(
      [flags.output, flags.deep, flags['node-timeout'], flags.concurrency, flags['request-timeout']],
      ['table', false, '30s', 20, '30s'],
    );
  });

  const understood: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['status --node a --node b', { node: ['a', 'b'] }],
    ['status --node=a pod/x', { node: ['a'], target: 'pod/x' }],
    ['status --node a pod/x', { node: ['a'], target: 'pod/x' }],
    ['status -l zone=a -o json', { selector: 'zone=a', output: 'json' }],
    ['status -ojson', { output: 'json' }],
    ['--context c status', { command: 'status', context: 'c' }],
    [
      'status -s https://h:6443 --as-group g --as-group h',
      { server: 'https://h:6443', 'as-group': ['g', 'h'] },
    ],
    ['heal --dry-run', { 'dry-run': 'client' }],
    ['heal --dry-run=client', { 'dry-run': 'client' }],
    ['heal --dry-run none', { 'dry-run': 'none' }],
    ['heal --dry-run --node a', { 'dry-run': 'client', node: ['a'] }],
    ['heal --node a --max-risk disruptive --yes', { 'max-risk': 'disruptive', yes: true }],
    ['capture out.json --no-deep --redact', { file: 'out.json', deep: false, redact: true }],
    ['rescan ebs.csi.aws.com --all', { driver: 'ebs.csi.aws.com', all: true }],
    ['status --request-timeout 0', { 'request-timeout': '0' }],
  ];
  for (const [line, expected] of understood)
    it(line, async () => {
      const flags = await flagsOf(line);
      for (const [name, value] of Object.entries(expected)) assert.deepEqual(flags[name], value, name);
    });

  const known = commands.map(({ id }) => id).join(', ');
  const faults: readonly (readonly [string, string])[] = [
    ['', 'no command given | kubectl csi --help shows what there is.'],
    ['bla', `unknown command "bla" | Commands are: ${known}.`],
    ['statu --node a', `unknown command "statu" | Commands are: ${known}.`],
    ['--node a', 'no command given | kubectl csi --help shows what there is.'],
    ['status --bla', 'unknown flag --bla | kubectl csi status --help shows what there is.'],
    ['status --bla=3', 'unknown flag --bla | kubectl csi status --help shows what there is.'],
    ['status --no-bla', 'unknown flag --no-bla | kubectl csi status --help shows what there is.'],
    ['status -z', 'unknown flag -z | kubectl csi status --help shows what there is.'],
    ['status --node', '--node wants a value | kubectl csi status --help shows what there is.'],
    ['status -o', '-o wants a value | kubectl csi status --help shows what there is.'],
    [
      'version extra',
      'version does not know what to do with "extra" | kubectl csi version --help shows what there is.',
    ],
    ['capture', 'capture wants FILE (File to write) | kubectl csi capture --help shows what there is.'],
  ];
  for (const [line, expected] of faults)
    it(`${line || '(nothing)'}: ${expected.split(' |')[0]}`, async () => {
      assert.equal(await faultOf(line), expected);
    });
});

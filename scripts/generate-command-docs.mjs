// Writes docs/commands from the commands' own definitions; with --check says what is out of date.
// Runs on the Node of node_modules.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { globalFlags } from '../src/cli/global-flags.ts';
import { commands } from '../src/commands/index.gen.ts';

const folder = fileURLToPath(new URL('../docs/commands/', import.meta.url));
const origin = 'Generated from the command definitions by `scripts/generate-command-docs.mjs`.';

const usage = ({ id, positionals = [] }) =>
  ['kubectl csi', id, ...positionals.map(placeholder), '[flags]'].join(' ');

function placeholder({ name, required, array }) {
  const word = `${name.toUpperCase()}${array ? '...' : ''}`;
  return required ? word : `[${word}]`;
}

const cell = (text) => String(text).replaceAll('|', '\\|');

function flagRow([name, { alias, type, array, describe, default: value }]) {
  const flag = `${alias ? `\`-${alias}\`, ` : ''}\`--${name}\``;
  const kind = array ? `${type}, may be repeated` : type;
  return `| ${flag} | ${kind} | ${value === undefined ? '' : `\`${cell(value)}\``} | ${cell(describe)} |`;
}

const table = (options) =>
  ['| flag | value | default | meaning |', '|---|---|---|---|', ...Object.entries(options).map(flagRow)].join(
    '\n',
  );

function commandText(command) {
  const { id, summary, description, positionals = [], options, examples } = command;
  const words = positionals.map(({ name, describe }) => `- \`${name.toUpperCase()}\`: ${describe}`);
  const lines = examples.map(([line, effect]) => `# ${effect}\n${line}`);
  return [
    `# kubectl csi ${id}`,
    `${summary}.`,
    ['```', usage(command), '```'].join('\n'),
    description,
    ...(words.length > 0 ? [words.join('\n')] : []),
    '## Examples',
    ['```sh', lines.join('\n\n'), '```'].join('\n'),
    ...(Object.keys(options).length > 0 ? ['## Flags', table(options)] : []),
    'Besides, every command has [the flags of kubectl itself](README.md#flags-of-every-command).',
    origin,
  ].join('\n\n');
}

function indexText() {
  const rows = commands.map(({ id, summary }) => `| [${id}](${id}.md) | ${summary} |`);
  return [
    '# Commands',
    ['| command | what it does |', '|---|---|', ...rows].join('\n'),
    '## Flags of every command',
    "kubectl's own, with kubectl's names and meanings. They stand behind `csi`: `kubectl csi status --context prod`.",
    table(globalFlags),
    'Exit codes are the same for every command: 0 nothing is wrong, or all was repaired and verified; 1 findings; 2 wrong usage; 3 something in scope could not be seen; 4 a repair failed and everything has its old state or the new one; 5 a repair failed and something is left; 130 interrupted.',
    origin,
  ].join('\n\n');
}

const pages = new Map([
  ['README.md', indexText()],
  ...commands.map((command) => [`${command.id}.md`, commandText(command)]),
]);

const current = (name) => {
  try {
    return readFileSync(`${folder}${name}`, 'utf8');
  } catch {
    return undefined;
  }
};

mkdirSync(folder, { recursive: true });
const strays = readdirSync(folder).filter((name) => !pages.has(name));
const stale = [...pages].filter(([name, text]) => current(name) !== `${text}\n`);
if (process.argv.includes('--check')) {
  for (const name of [...strays, ...stale.map(([each]) => each)])
    console.error(`docs/commands/${name} is out of date: node scripts/generate-command-docs.mjs`);
  process.exitCode = strays.length + stale.length > 0 ? 1 : 0;
} else {
  for (const name of strays) rmSync(`${folder}${name}`);
  for (const [name, text] of stale) writeFileSync(`${folder}${name}`, `${text}\n`);
}

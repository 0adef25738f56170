import type { Argv, Options } from 'yargs';
import yargs from 'yargs/yargs';
import type { Command, Positional } from './define-command.ts';
import { type Flags, globalFlags } from './global-flags.ts';
import { kubectlWords } from './kubectl-words.ts';
import { parseFault } from './parse-fault.ts';

export type Parsed =
  | { readonly kind: 'command'; readonly command: Command; readonly flags: Flags }
  | { readonly kind: 'text'; readonly text: string };

/** Command line to what is meant: a command with its flags, or a text to print (help). @throws UsageError */
export async function parseArguments(argv: readonly string[], commands: readonly Command[]): Promise<Parsed> {
  let parsed: Parsed | undefined;
  let shown = '';
  const parser = commands.reduce(
    (builder, command) =>
      addCommand(builder, command, (flags) => (parsed = { kind: 'command', command, flags })),
    base(),
  );
  await parser.parseAsync(kubectlWords(argv, commands), {}, (error, _argv, output) => {
    if (error) throw parseFault(error, argv, commands);
    shown = output;
  });
  return parsed ?? { kind: 'text', text: `${shown}\n` };
}

const base = (): Argv =>
  yargs()
    .scriptName('kubectl csi')
    .usage(
      '$0 COMMAND [flags]\n\nFinds and repairs what breaks between kubelet and CSI drivers, on every node of a cluster.',
    )
    .parserConfiguration({
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
    })
    .strict()
    .demandCommand(1, 'no command given')
    .version(false)
    .help('help', 'Show help')
    .alias('help', 'h')
    .wrap(Math.min(100, process.stdout.columns ?? 100))
    .exitProcess(false);

function addCommand(parser: Argv, command: Command, chosen: (flags: Flags) => void): Argv {
  return parser.command(
    usageOf(command),
    command.summary,
    (builder) => describeCommand(builder as Argv, command),
    (flags) => chosen(lastOfRepeated(flags as Flags, command)),
  );
}

/** A flag that is given twice counts as it was given last, unless it is a list. */
function lastOfRepeated(flags: Flags, { options }: Command): Flags {
  const all: Readonly<Record<string, Options>> = { ...options, ...globalFlags };
  return Object.fromEntries(
    Object.entries(flags).map(([name, value]) => [
      name,
      Array.isArray(value) && all[name] && !all[name].array ? value.at(-1) : value,
    ]),
  );
}

const usageOf = ({ id, positionals = [] }: Command) => [id, ...positionals.map(placeholder)].join(' ');

function describeCommand(builder: Argv, command: Command): Argv {
  const { positionals = [], options, description, examples } = command;
  const described = builder
    .usage(`$0 ${usageOf(command)} [flags]\n\n${description}`)
    .options(options as Record<string, Options>)
    .options(globalFlags)
    .requiresArg(Object.entries({ ...options, ...globalFlags }).flatMap(takesValue))
    .group([...Object.keys(options), 'help'], 'Flags:')
    .group(Object.keys(globalFlags), 'kubectl flags:')
    .example(examples.map(([line, effect]) => [line, effect] as [string, string])) as Argv;
  return positionals.reduce(
    (each, { name, describe }) => each.positional(name, { describe, type: 'string' }) as Argv,
    described,
  );
}

function placeholder({ name, required, array }: Positional): string {
  const word = array ? `${name}..` : name;
  return required ? `<${word}>` : `[${word}]`;
}

const takesValue = ([name, { type }]: readonly [string, Options]) => (type === 'boolean' ? [] : [name]);

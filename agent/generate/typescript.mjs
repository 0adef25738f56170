import { readFileSync } from 'node:fs';
import { camel, pascal } from './schema.mjs';

const NOTICE = '// Generated from agent/protocol.json by scripts/generate-protocol.mjs. Do not edit.';

const SCALARS = { text: 'string', bytes: 'Bytes', uint: 'number', int: 'number', u64: 'string', bool: 'boolean' };
const ARGUMENTS = { path: 'Bytes', name: 'Bytes', words: 'readonly string[]', uint: 'number', pid: 'number', flag: 'boolean' };

/** The TypeScript side: readonly types, the decoder, the builders of command lines. */
export function typescript(schema) {
  return [
    NOTICE,
    `export const PROTOCOL_VERSION = ${schema.version};`,
    ...Object.entries(schema.enums).map(([name, values]) => union(name, values, name === 'errorCode' && schema.errors)),
    ...Object.entries(schema.types).map(([name, type]) => shape(pascal(name), type)),
    ...Object.entries(schema.records).map(([name, record]) => shape(`${pascal(name)}Record`, record, name)),
    `export type AgentRecord =\n${Object.keys(schema.records).map((name) => `  | ${pascal(name)}Record`).join('\n')};`,
    ...Object.entries(schema.commands).map(([name, command]) => argumentShape(name, command)),
    builders(schema.commands),
    tables(schema),
    readFileSync(new URL('runtime.ts', import.meta.url), 'utf8'),
  ].join('\n\n');
}

function union(name, values, docs) {
  const words = docs ? `${values.map((value) => ` * - \`${value}\`: ${docs[value]}`).join('\n')}\n` : '';
  const comment = docs ? `/**\n * Why an answer is not complete.\n${words} */\n` : '';
  return `${comment}export type ${pascal(name)} = ${values.map((value) => `'${value}'`).join(' | ')};`;
}

function shape(name, { doc, fields }, kind) {
  const members = fields.map((field) => `  /** ${field.doc} */\n  readonly ${field.name}: ${fieldType(field)};`);
  const tag = kind ? [`  readonly kind: '${kind}';`] : [];
  return `/** ${doc} */\nexport interface ${name} {\n${[...tag, ...members].join('\n')}\n}`;
}

function fieldType({ base, form, nullable, array }) {
  const type = form === 'scalar' ? SCALARS[base] : pascal(base);
  if (array) return `readonly ${type}[]`;
  return nullable ? `${type} | null` : type;
}

function argumentShape(name, command) {
  const members = command.arguments.map((argument) => {
    const single = argument.isEnum ? pascal(argument.type) : (ARGUMENTS[argument.type] ?? 'string');
    const type = argument.repeated ? `readonly ${single}[]` : single;
    const mark = argument.required ? '' : '?';
    return `  /** ${argument.doc} */\n  readonly ${camel(argument.name)}${mark}: ${type}${mark && ' | undefined'};`;
  });
  const body = members.length > 0 ? ` {\n${members.join('\n')}\n}` : ' {}';
  return `/** ${command.doc} */\nexport interface ${pascal(name)}Arguments${body}`;
}

function builders(commands) {
  const lines = Object.entries(commands).map(([name, { doc, arguments: list }]) => {
    const fallback = list.some(({ required }) => required) ? '' : ' = {}';
    const parameter = `given: ${pascal(name)}Arguments${fallback}`;
    return `  /** ${doc} */\n  ${camel(name)}: (${parameter}): string[] => commandLine('${name}', given),`;
  });
  return `/** Command lines of the agent, one builder per command; paths are percent-encoded. */\nexport const agentArgs = {\n${lines.join('\n')}\n} as const;`;
}

function tables({ enums, types, records, commands }) {
  const fields = (list) => list.map(({ name, base, form, nullable, array }) => ({ name, base, form, nullable, array }));
  const shapes = (all) => Object.fromEntries(Object.entries(all).map(([name, { fields: list }]) => [name, fields(list)]));
  const lines = Object.entries(commands).map(([name, { arguments: list }]) => [
    name,
    list.map((argument) => ({ flag: `--${argument.name}`, key: camel(argument.name), type: argument.type })),
  ]);
  return [
    `const ENUMS: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(enums)};`,
    `const TYPES: Readonly<Record<string, readonly Field[]>> = ${JSON.stringify(shapes(types))};`,
    `const RECORDS: Readonly<Record<string, readonly Field[]>> = ${JSON.stringify(shapes(records))};`,
    `const COMMANDS: Readonly<Record<string, readonly Argument[]>> = ${JSON.stringify(Object.fromEntries(lines))};`,
  ].join('\n');
}

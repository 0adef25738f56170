import { readFileSync } from 'node:fs';

const SCALARS = ['text', 'bytes', 'uint', 'int', 'u64', 'bool'];
const ARGUMENTS = ['path', 'name', 'text', 'word', 'words', 'unit', 'uint', 'u64', 'pid', 'device', 'flag'];

/**
 * Reads and checks agent/protocol.json.
 * @param {URL} file
 * @returns {object} the schema; every field and argument has its type taken apart
 */
export function readSchema(file) {
  const schema = JSON.parse(readFileSync(file, 'utf8'));
  schema.enums = { ...schema.enums, errorCode: Object.keys(schema.errors) };
  const shapes = { ...schema.types, ...schema.records };
  for (const [name, shape] of Object.entries(shapes)) shape.fields = fieldsOf(schema, name, shape.fields);
  for (const [name, command] of Object.entries(schema.commands)) {
    command.arguments = argumentsOf(schema, name, command.arguments);
  }
  return schema;
}

function fieldsOf(schema, owner, fields) {
  return Object.entries(fields).map(([name, { type, doc }]) => {
    const [, base, suffix] = /^(\w+)(\?|\[\])?$/.exec(type) ?? [];
    const form = SCALARS.includes(base) ? 'scalar' : base in schema.enums ? 'enum' : 'struct';
    if (form === 'struct' && !(base in schema.types)) throw new Error(`${owner}.${name}: unknown type ${type}`);
    return { name, doc, base, form, nullable: suffix === '?', array: suffix === '[]' };
  });
}

function argumentsOf(schema, owner, list) {
  return Object.entries(list).map(([name, argument]) => {
    const isEnum = argument.type in schema.enums;
    if (!isEnum && !ARGUMENTS.includes(argument.type)) {
      throw new Error(`${owner} --${name}: unknown type ${argument.type}`);
    }
    return { name, isEnum, required: false, repeated: false, ...argument };
  });
}

export const camel = (name) => name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
export const pascal = (name) => camel(name).replace(/^\w/, (letter) => letter.toUpperCase());
export const snake = (name) => name.replace(/-/g, '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const shout = (name) => (/[a-z]/.test(name) ? snake(name).toUpperCase() : name);

import { shout, snake as snakeCase } from './schema.mjs';

const NOTICE = '/* Generated from protocol.json by scripts/generate-protocol.mjs. Do not edit. */';

// errno is a macro in C.
const snake = (name) => (name === 'errno' ? 'errno_' : snakeCase(name));

const SCALARS = {
  text: 'const char *',
  bytes: 'const char *',
  uint: 'uint64_t ',
  int: 'int64_t ',
  u64: 'uint64_t ',
  bool: 'bool ',
};

/** The C header: constants, a struct and an emit function per record, a struct per command line. */
export function header(schema) {
  return [
    NOTICE,
    '#ifndef PROTOCOL_GEN_H\n#define PROTOCOL_GEN_H\n',
    '#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <sys/types.h>\n',
    `#define PROTOCOL_VERSION ${schema.version}\n`,
    'struct list {\n\tconst char *const *items;\n\tsize_t count;\n};\n',
    ...Object.entries(schema.enums).map(([name, values]) => enumeration(name, values)),
    ...Object.entries(schema.types).map(([name, type]) => structure(snake(name), type)),
    ...Object.entries(schema.records).map(([name, record]) => structure(`${snake(name)}_record`, record)),
    ...Object.keys(schema.records).map((name) => `${emitter(name)};`),
    '',
    ...Object.entries(schema.commands).map(([name, command]) => argumentStructure(name, command)),
    argumentTypes(),
    'extern const struct command commands[];\nextern const size_t command_count;\n',
    '#endif\n',
  ].join('\n');
}

/** The C source that goes with the header. */
export function source(schema) {
  return [
    NOTICE,
    '#include "protocol.gen.h"\n\n#include "json.h"\n',
    ...Object.entries(schema.enums).map(([name, values]) => enumerationNames(name, values)),
    ...Object.entries(schema.types).map(([name, type]) => writer(name, type)),
    ...Object.entries(schema.records).map(([name, record]) => emission(name, record)),
    ...Object.entries(schema.commands).map(([name, command]) => commandTable(name, command)),
    commandList(schema.commands),
  ].join('\n');
}

function enumeration(name, values) {
  const members = values.map((value) => `\t${shout(name)}_${shout(value)},`).join('\n');
  return `enum ${snake(name)} {\n${members}\n};\nextern const char *const ${snake(name)}_names[];\n`;
}

function enumerationNames(name, values) {
  const members = [...values.map((value) => `"${value}"`), 'NULL'].join(', ');
  return `const char *const ${snake(name)}_names[] = {${members}};\n`;
}

function structure(name, { doc, fields }) {
  const members = fields.map((field) => `\t${memberType(field)}${snake(field.name)}; /* ${field.doc} */`);
  return `/* ${doc} */\nstruct ${name} {\n${members.join('\n')}\n};\n`;
}

function memberType({ base, form, nullable, array }) {
  if (array) return 'struct list ';
  if (form === 'struct') return nullable ? `const struct ${snake(base)} *` : `struct ${snake(base)} `;
  const type = form === 'enum' ? `enum ${snake(base)} ` : SCALARS[base];
  return nullable && !type.endsWith('*') ? `const ${type}*` : type;
}

function emitter(name) {
  return `void emit_${snake(name)}(const struct ${snake(name)}_record *record)`;
}

function writer(name, { fields }) {
  const lines = fields.map((field) => `\t${write(field, 'value')}`);
  return `static void write_${snake(name)}(const struct ${snake(name)} *value)\n{\n\tjson_open();\n${lines.join('\n')}\n\tjson_close();\n}\n`;
}

function emission(name, { fields }) {
  const lines = fields.map((field) => `\t${write(field, 'record')}`);
  return `${emitter(name)}\n{\n\tjson_begin(PROTOCOL_VERSION, "${name}");\n${lines.join('\n')}\n\tjson_end();\n}\n`;
}

function write({ name, base, form, nullable, array }, owner) {
  const member = `${owner}->${snake(name)}`;
  const key = `json_key("${name}");`;
  if (array) return `${key}\n\tjson_list(&${member});`;
  const text = base === 'text' || base === 'bytes';
  const value = nullable && !text && form !== 'struct' ? `*${member}` : member;
  const call = {
    scalar: `json_${text ? 'text' : base}(${value});`,
    enum: `json_text(${snake(base)}_names[${value}]);`,
    struct: `write_${snake(base)}(${nullable ? '' : '&'}${member});`,
  }[form];
  if (!nullable || text) return `${key}\n\t${call}`;
  return `${key}\n\tif (${member})\n\t\t${call}\n\telse\n\t\tjson_null();`;
}

const ARGUMENTS = {
  words: 'struct list ',
  uint: 'uint64_t ',
  u64: 'uint64_t ',
  pid: 'pid_t ',
  flag: 'bool ',
};

function argumentStructure(name, command) {
  const members = command.arguments.map((argument) => {
    const single = argument.isEnum ? `enum ${snake(argument.type)} ` : (ARGUMENTS[argument.type] ?? 'const char *');
    return `\t${argument.repeated ? 'struct list ' : single}${snake(argument.name)}; /* ${argument.doc} */`;
  });
  const body = members.length > 0 ? members.join('\n') : '\tchar none;';
  const struct = `struct ${snake(name)}_arguments`;
  return `/* ${command.doc} */\n${struct} {\n${body}\n};\nvoid run_${snake(name)}(const ${struct} *arguments);\n`;
}

function argumentTypes() {
  const types = ['PATH', 'NAME', 'TEXT', 'WORD', 'WORDS', 'UNIT', 'UINT', 'U64', 'PID', 'DEVICE', 'FLAG', 'ENUM'];
  return `enum argument_type {\n${types.map((type) => `\tARGUMENT_${type},`).join('\n')}\n};

struct argument {
	const char *name;
	enum argument_type type;
	bool required;
	bool repeated;
	const char *fallback;
	uint64_t min;
	uint64_t max;
	const char *const *values;
	size_t offset;
};

struct command {
	const char *name;
	const struct argument *arguments;
	size_t argument_count;
	size_t size;
	void (*run)(const void *arguments);
};
`;
}

function commandTable(name, command) {
  const id = snake(name);
  const rows = command.arguments.map((argument) => `\t${argumentRow(id, argument)},`);
  const table = rows.length > 0 ? `static const struct argument ${id}_table[] = {\n${rows.join('\n')}\n};\n\n` : '';
  return `${table}static void call_${id}(const void *arguments)\n{\n\trun_${id}(arguments);\n}\n`;
}

function argumentRow(id, { name, type, isEnum, required, repeated, min, max, ...rest }) {
  const fallback = rest.default === undefined ? 'NULL' : `"${rest.default}"`;
  const kind = isEnum ? 'ENUM' : shout(type);
  const values = isEnum ? `${snake(type)}_names` : 'NULL';
  const range = `${min ?? 0}, ${max ?? 'UINT64_MAX'}`;
  return `{"${name}", ARGUMENT_${kind}, ${required}, ${repeated}, ${fallback}, ${range}, ${values}, offsetof(struct ${id}_arguments, ${snake(name)})}`;
}

function commandList(commands) {
  const rows = Object.entries(commands).map(([name, { arguments: list }]) => {
    const id = snake(name);
    const table = list.length > 0 ? `${id}_table` : 'NULL';
    return `\t{"${name}", ${table}, ${list.length}, sizeof(struct ${id}_arguments), call_${id}},`;
  });
  return `const struct command commands[] = {\n${rows.join('\n')}\n};\nconst size_t command_count = sizeof(commands) / sizeof(commands[0]);\n`;
}

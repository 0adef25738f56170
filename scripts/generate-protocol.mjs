#!/usr/bin/env node
// Writes the C and the TypeScript side of agent/protocol.json; with --check says whether they are current.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { header, source } from '../agent/generate/c.mjs';
import { readSchema } from '../agent/generate/schema.mjs';
import { typescript } from '../agent/generate/typescript.mjs';

const ROOT = new URL('../', import.meta.url);

/**
 * @returns {{ file: URL, text: string }[]} every generated file and what it must hold
 */
export function generateProtocol() {
  const schema = readSchema(new URL('agent/protocol.json', ROOT));
  return [
    { file: new URL('agent/src/protocol.gen.h', ROOT), text: header(schema) },
    { file: new URL('agent/src/protocol.gen.c', ROOT), text: source(schema) },
    { file: new URL('src/protocol/protocol.gen.ts', ROOT), text: typescript(schema) },
  ];
}

/** Whether a generated file holds what it must. */
export function isCurrent({ file, text }) {
  try {
    return readFileSync(file, 'utf8') === text;
  } catch {
    return false;
  }
}

function main(flags) {
  const unknown = flags.find((flag) => flag !== '--check');
  if (unknown !== undefined) {
    console.error(
      `generate-protocol: unknown argument ${unknown}; type: node scripts/generate-protocol.mjs [--check]`,
    );
    return 2;
  }
  const stale = generateProtocol().filter((output) => !isCurrent(output));
  if (flags.includes('--check')) {
    for (const { file } of stale) console.error(`${fileURLToPath(file)} is not current`);
    if (stale.length > 0) console.error('type: node scripts/generate-protocol.mjs');
    return stale.length > 0 ? 1 : 0;
  }
  for (const { file, text } of stale) writeFileSync(file, text);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));

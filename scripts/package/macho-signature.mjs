// Ad-hoc code signatures for Mach-O executables, as Go's and LLVM's linkers write them: macOS starts no arm64 program
// without one. Layout: xnu's osfmk/kern/cs_blobs.h and mach-o/loader.h. Load commands are in the machine's byte order
// (little-endian), signatures in network order.
import { createHash } from 'node:crypto';

const MH_MAGIC_64 = 0xfeedfacf;
const CPU_TYPE_ARM64 = 0x0100000c;
const MH_EXECUTE = 2;
const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;
const HEADER_SIZE = 32;
const SIGNATURE_COMMAND_SIZE = 16;

const CSMAGIC_EMBEDDED_SIGNATURE = 0xfade0cc0;
const CSMAGIC_CODEDIRECTORY = 0xfade0c02;
const CS_SUPPORTSEXECSEG = 0x20400;
const CS_ADHOC = 0x2;
const CS_LINKER_SIGNED = 0x20000;
const CS_HASHTYPE_SHA256 = 2;
const CS_EXECSEG_MAIN_BINARY = 1;
const PAGE = 4096;
const HASH_SIZE = 32;
const SUPERBLOB_SIZE = 20;
const CODEDIRECTORY_SIZE = 88;

const align = (number, to) => Math.ceil(number / to) * to;

/**
 * @param {Buffer} executable a thin 64-bit Mach-O; an old signature is replaced
 * @param {string} identifier that the signature carries, by custom the program's name
 * @returns {Buffer} the signed executable
 * @throws for anything else, and where the header has no room for one more load command
 */
export function adhocSigned(executable, identifier) {
  const { code, command, text, linkedit, arm64, type } = withSignatureCommand(executable);
  const limit = align(code.length, 16);
  const size = signatureSize(limit, identifier);
  const signed = Buffer.concat([code, Buffer.alloc(limit - code.length + size)]);
  signed.writeUInt32LE(limit, command + 8);
  signed.writeUInt32LE(size, command + 12);
  extendLinkedit(signed, linkedit, arm64);
  writeSignature(signed, { limit, identifier, text, type });
  return signed;
}

/** The executable without an old signature, but with a load command for a new one; and where its parts are. */
function withSignatureCommand(executable) {
  if (executable.readUInt32LE(0) !== MH_MAGIC_64) throw new Error('this is no thin 64-bit Mach-O');
  const code = Buffer.from(executable);
  const parts = { arm64: code.readUInt32LE(4) === CPU_TYPE_ARM64, type: code.readUInt32LE(12) };
  const commands = loadCommands(code);
  const segments = commands.filter(({ kind }) => kind === LC_SEGMENT_64).map(({ at }) => segment(code, at));
  const text = segments.find(({ name }) => name === '__TEXT');
  const linkedit = segments.find(({ name }) => name === '__LINKEDIT');
  if (!text || !linkedit) throw new Error('this Mach-O lacks a __TEXT or a __LINKEDIT segment');
  const found = { ...parts, text, linkedit: linkedit.at };
  const old = commands.find(({ kind }) => kind === LC_CODE_SIGNATURE);
  if (old) return { ...found, command: old.at, code: code.subarray(0, code.readUInt32LE(old.at + 8)) };
  return { ...found, command: addSignatureCommand(code, segments), code };
}

function loadCommands(code) {
  const commands = [];
  for (let at = HEADER_SIZE, left = code.readUInt32LE(16); left > 0; left--) {
    commands.push({ kind: code.readUInt32LE(at), at });
    at += code.readUInt32LE(at + 4);
  }
  return commands;
}

function segment(code, at) {
  const name = code.toString('latin1', at + 8, at + 24).replace(/\0+$/, '');
  const sections = Array.from({ length: code.readUInt32LE(at + 64) }, (_, index) =>
    code.readUInt32LE(at + 72 + index * 80 + 48),
  );
  return {
    name,
    at,
    fileOffset: code.readBigUInt64LE(at + 40),
    fileSize: code.readBigUInt64LE(at + 48),
    firstSection: Math.min(...sections.filter((offset) => offset > 0)),
  };
}

function addSignatureCommand(code, segments) {
  const count = code.readUInt32LE(16);
  const size = code.readUInt32LE(20);
  const command = HEADER_SIZE + size;
  if (command + SIGNATURE_COMMAND_SIZE > Math.min(...segments.map(({ firstSection }) => firstSection)))
    throw new Error('this Mach-O has no room for a signature among its load commands');
  code.writeUInt32LE(count + 1, 16);
  code.writeUInt32LE(size + SIGNATURE_COMMAND_SIZE, 20);
  code.writeUInt32LE(LC_CODE_SIGNATURE, command);
  code.writeUInt32LE(SIGNATURE_COMMAND_SIZE, command + 4);
  return command;
}

/** The signature is the end of __LINKEDIT; segments are whole pages in memory (16 KiB on arm64). */
function extendLinkedit(signed, at, arm64) {
  const size = BigInt(signed.length) - signed.readBigUInt64LE(at + 40);
  signed.writeBigUInt64LE(size, at + 48);
  signed.writeBigUInt64LE(BigInt(align(Number(size), arm64 ? 0x4000 : 0x1000)), at + 32);
}

const identifierSize = (identifier) => Buffer.byteLength(identifier) + 1;
const directorySize = (limit, identifier) =>
  CODEDIRECTORY_SIZE + identifierSize(identifier) + Math.ceil(limit / PAGE) * HASH_SIZE;
const signatureSize = (limit, identifier) => align(SUPERBLOB_SIZE + directorySize(limit, identifier), 16);

function writeSignature(signed, { limit, identifier, text, type }) {
  const length = directorySize(limit, identifier);
  const hashes = CODEDIRECTORY_SIZE + identifierSize(identifier);
  const words = (at, ...values) =>
    values.forEach((value, index) => {
      signed.writeUInt32BE(value, at + index * 4);
    });
  words(limit, CSMAGIC_EMBEDDED_SIGNATURE, SUPERBLOB_SIZE + length, 1, 0, SUPERBLOB_SIZE);
  const directory = limit + SUPERBLOB_SIZE;
  words(directory, CSMAGIC_CODEDIRECTORY, length, CS_SUPPORTSEXECSEG, CS_ADHOC | CS_LINKER_SIGNED);
  words(directory + 16, hashes, CODEDIRECTORY_SIZE, 0, Math.ceil(limit / PAGE), limit);
  signed.set([HASH_SIZE, CS_HASHTYPE_SHA256, 0, Math.log2(PAGE)], directory + 36);
  signed.writeBigUInt64BE(text.fileOffset, directory + 64);
  signed.writeBigUInt64BE(text.fileSize, directory + 72);
  signed.writeBigUInt64BE(BigInt(type === MH_EXECUTE ? CS_EXECSEG_MAIN_BINARY : 0), directory + 80);
  signed.write(identifier, directory + CODEDIRECTORY_SIZE, 'utf8');
  for (let page = 0; page * PAGE < limit; page++) {
    const bytes = signed.subarray(page * PAGE, Math.min((page + 1) * PAGE, limit));
    createHash('sha256')
      .update(bytes)
      .digest()
      .copy(signed, directory + hashes + page * HASH_SIZE);
  }
}

import { createHash } from 'node:crypto';

/** What the signature of a thin 64-bit Mach-O says, read from the file's end as the kernel reads it. */
export interface Signature {
  readonly identifier: string;
  readonly flags: number;
  readonly codeLimit: number;
  /** File offset of the signature, and the file's length. */
  readonly offset: number;
  readonly end: number;
  /** Numbers of pages whose SHA-256 is not the one that is signed. */
  readonly brokenPages: readonly number[];
}

const signatureCommand = 0x1d;

function* loadCommands(file: Buffer) {
  let at = 32;
  for (let count = file.readUInt32LE(16); count > 0; count--) {
    yield { kind: file.readUInt32LE(at), at };
    at += file.readUInt32LE(at + 4);
  }
}

/** @throws when there is no signature, or it is no CodeDirectory of SHA-256 hashes in a superblob */
export function readSignature(file: Buffer): Signature {
  const command = [...loadCommands(file)].find(({ kind }) => kind === signatureCommand);
  if (!command) throw new Error('the file has no LC_CODE_SIGNATURE');
  const offset = file.readUInt32LE(command.at + 8);
  const blob = file.subarray(offset, offset + file.readUInt32LE(command.at + 12));
  if (blob.readUInt32BE(0) !== 0xfade0cc0) throw new Error('the signature is no superblob');
  const directory = blob.subarray(blob.readUInt32BE(16));
  if (directory.readUInt32BE(0) !== 0xfade0c02) throw new Error('the first blob is no CodeDirectory');
  const identifierAt = directory.readUInt32BE(20);
  const codeLimit = directory.readUInt32BE(32);
  return {
    identifier: directory.toString('utf8', identifierAt, directory.indexOf(0, identifierAt)),
    flags: directory.readUInt32BE(12),
    codeLimit,
    offset,
    end: offset + blob.length,
    brokenPages: brokenPages(file, directory, codeLimit),
  };
}

function brokenPages(file: Buffer, directory: Buffer, codeLimit: number): readonly number[] {
  const hashes = directory.readUInt32BE(16);
  const pages = directory.readUInt32BE(28);
  const hashSize = directory.readUInt8(36);
  const pageSize = 2 ** directory.readUInt8(39);
  if (pages !== Math.ceil(codeLimit / pageSize)) throw new Error('the page count does not fit the code');
  return Array.from({ length: pages }, (_, page) => page).filter((page) => {
    const bytes = file.subarray(page * pageSize, Math.min((page + 1) * pageSize, codeLimit));
    const at = hashes + page * hashSize;
    return !createHash('sha256')
      .update(bytes)
      .digest()
      .equals(directory.subarray(at, at + hashSize));
  });
}

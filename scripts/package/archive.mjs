// Archives whose bytes depend on their files alone: no owners, no clocks, a fixed order.
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';
import { ZipFile } from 'yazl';

/** The second day that a zip can name, since the first is not the same moment everywhere: a zip names local time. */
const zipTime = () => new Date(1980, 0, 2);
const tarTime = new Date(0);
const blockSize = 512;

/**
 * @param {string} output ends in .zip or .tar.gz
 * @param {string} folder
 * @param {readonly { name: string, executable?: boolean }[]} files
 */
export async function writeArchive(output, folder, files) {
  if (output.endsWith('.zip')) return writeZip(output, folder, files);
  writeFileSync(output, gzipSync(tarOf(folder, files), { level: 9 }));
}

const modeOf = ({ executable }) => (executable ? 0o755 : 0o644);

/** An uncompressed tar; `name` may have folders in it. */
export function tarOf(folder, files) {
  const entries = files.flatMap((file) => {
    const content = readFileSync(join(folder, file.name));
    const padding = Buffer.alloc((blockSize - (content.length % blockSize)) % blockSize);
    return [tarHeader(file, content.length), content, padding];
  });
  return Buffer.concat([...entries, Buffer.alloc(2 * blockSize)]);
}

function tarHeader(file, size) {
  const header = new Header({
    path: file.name,
    mode: modeOf(file),
    uid: 0,
    gid: 0,
    size,
    mtime: tarTime,
    type: 'File',
  });
  header.encode();
  return header.block;
}

async function writeZip(output, folder, files) {
  const zip = new ZipFile();
  for (const file of files) {
    const options = {
      mtime: zipTime(),
      mode: 0o100000 | modeOf(file),
      forceDosTimestamp: true,
      compressionLevel: 9,
    };
    zip.addFile(join(folder, file.name), file.name, options);
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(output));
}

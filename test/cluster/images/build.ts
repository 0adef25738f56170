import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { execOrThrow } from '../host/exec.ts';
import { type Image, writeArchive } from './archive.ts';
import { driverImage, emptyImage, pauseImage, shellImage } from './names.ts';

const busybox = '/usr/bin/busybox';

/**
 * Makes the images of the test cluster, or finds them in the cache.
 *
 * @param cache a folder for the archives, named by their content
 * @param driver the folder of the CSI driver's binaries; without it there is no driver image
 * @returns paths of docker-archives
 */
export async function buildImages(cache: string, driver: string | undefined): Promise<string[]> {
  const programs = driver === undefined ? [] : readdirSync(driver).map((name) => join(driver, name));
  const inputs = [busybox, ...programs];
  const target = join(cache, digest(inputs));
  const build = async (name: string, files: readonly string[], command?: readonly string[]) => {
    const archive = join(target, `${basename(name).replace(':', '-')}.tar`);
    if (!existsSync(archive)) await buildImage(archive, { name, ...(command && { command }) }, files);
    return archive;
  };
  const images = [
    build(pauseImage, [busybox], ['/bin/busybox', 'sleep', '2147483647']),
    build(shellImage, [busybox], ['/bin/sh']),
    build(emptyImage, []),
  ];
  if (programs.length > 0) images.push(build(driverImage, inputs, ['/bin/csi-driver']));
  return Promise.all(images);
}

async function buildImage(
  archive: string,
  image: Omit<Image, 'files'>,
  programs: readonly string[],
): Promise<void> {
  mkdirSync(dirname(archive), { recursive: true });
  const files = mkdtempSync(`${archive}.`);
  try {
    if (programs.length > 0) mkdirSync(join(files, 'bin'));
    for (const program of programs) copyFileSync(program, join(files, 'bin', basename(program)));
    if (programs.includes(busybox)) await linkApplets(join(files, 'bin'));
    await writeArchive({ ...image, files }, archive);
  } finally {
    rmSync(files, { recursive: true });
  }
}

async function linkApplets(bin: string): Promise<void> {
  const applets = await execOrThrow([busybox, '--list']);
  const names = applets.split('\n').filter((name) => name !== '' && name !== 'busybox');
  await execOrThrow(['sh', '-c', 'cd "$0" && for name; do ln -s busybox "$name"; done', bin, ...names]);
}

function digest(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(basename(file)).update(readFileSync(file));
  return hash.digest('hex').slice(0, 12);
}

import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { execOrThrow } from '../host/exec.ts';
import { writeArchive } from './archive.ts';
import { driverImage, emptyImage, pauseImage, shellImage } from './names.ts';

const busybox = '/usr/bin/busybox';

/** An image by its name, and the docker-archive that holds it. */
export interface BuiltImage {
  readonly name: string;
  readonly archive: string;
}

/**
 * Makes the images of the test cluster, or finds them in the cache.
 *
 * @param cache a folder for the archives, keyed by what goes into them
 * @param driver the folder of the CSI driver's binaries; without it there is no driver image
 */
export async function buildImages(cache: string, driver: string | undefined): Promise<BuiltImage[]> {
  const programs = driver === undefined ? [] : readdirSync(driver).map((name) => join(driver, name));
  const images: Definition[] = [
    { name: pauseImage, programs: [busybox], command: ['/bin/busybox', 'sleep', '2147483647'] },
    { name: shellImage, programs: [busybox], command: ['/bin/sh'] },
    { name: emptyImage, programs: [], command: ['/none'] },
  ];
  if (programs.length > 0) {
    images.push({ name: driverImage, programs: [busybox, ...programs], command: ['/bin/csi-driver'] });
  }
  return Promise.all(images.map((image) => build(cache, image)));
}

interface Definition {
  readonly name: string;
  readonly programs: readonly string[];
  readonly command: readonly string[];
}

async function build(cache: string, image: Definition): Promise<BuiltImage> {
  const file = basename(image.name).replace(':', '-');
  const archive = join(cache, `${file}-${digest(image)}.tar`);
  if (!existsSync(archive)) await buildImage(archive, image);
  return { name: image.name, archive };
}

async function buildImage(archive: string, { name, programs, command }: Definition): Promise<void> {
  mkdirSync(dirname(archive), { recursive: true });
  const files = mkdtempSync(`${archive}.`);
  try {
    if (programs.length > 0) mkdirSync(join(files, 'bin'));
    for (const program of programs) copyFileSync(program, join(files, 'bin', basename(program)));
    if (programs.includes(busybox)) await linkApplets(join(files, 'bin'));
    await writeArchive({ name, command, files }, archive);
  } finally {
    rmSync(files, { recursive: true });
  }
}

async function linkApplets(bin: string): Promise<void> {
  const applets = await execOrThrow([busybox, '--list']);
  const names = applets.split('\n').filter((name) => name !== '' && name !== 'busybox');
  await execOrThrow(['sh', '-c', 'cd "$0" && for name; do ln -s busybox "$name"; done', bin, ...names]);
}

function digest({ name, programs, command }: Definition): string {
  const hash = createHash('sha256').update(JSON.stringify([name, command]));
  for (const program of programs) hash.update(basename(program)).update(readFileSync(program));
  return hash.digest('hex').slice(0, 12);
}

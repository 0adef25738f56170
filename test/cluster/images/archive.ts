import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execOrThrow } from '../host/exec.ts';

export interface Image {
  readonly name: string;
  /** A folder whose content is the image's one layer. */
  readonly files: string;
  readonly command: readonly string[];
}

/** Writes an image as a docker-archive (the format of `docker save`), which containerd imports. */
export async function writeArchive(image: Image, target: string): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  const folder = mkdtempSync(`${target}.`);
  try {
    const layer = join(folder, 'layer.tar');
    await tar(layer, image.files, ['.']);
    writeFileSync(join(folder, 'config.json'), configOf(image, readFileSync(layer)));
    const manifest = [{ Config: 'config.json', RepoTags: [image.name], Layers: ['layer.tar'] }];
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
    await tar(join(folder, 'image.tar'), folder, ['manifest.json', 'config.json', 'layer.tar']);
    renameSync(join(folder, 'image.tar'), target);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function configOf(image: Image, layer: Buffer): string {
  return JSON.stringify({
    architecture: { x64: 'amd64' }[process.arch as string] ?? process.arch,
    os: 'linux',
    config: { Cmd: image.command, Env: ['PATH=/bin'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${createHash('sha256').update(layer).digest('hex')}`] },
  });
}

async function tar(target: string, folder: string, members: readonly string[]): Promise<void> {
  const reproducible = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  await execOrThrow(['tar', '-c', '-f', target, '-C', folder, ...reproducible, ...members]);
}

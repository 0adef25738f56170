// A container image with the plugin, for those who run it inside a cluster, made without a container engine: one layer
// with the executable and Debian's C and C++ libraries, which are all that Node needs.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { tarOf } from './archive.mjs';
import { programName, targetNamed, version } from './targets.mjs';

/** Where Debian keeps the libraries, by the packages libc6, libstdc++6 and libgcc-s1 (for arm64 with -arm64-cross). */
const systems = {
  amd64: {
    folder: '/lib/x86_64-linux-gnu',
    to: 'lib/x86_64-linux-gnu',
    loader: 'ld-linux-x86-64.so.2',
    loaderTo: 'lib64',
    suffix: '',
  },
  arm64: {
    folder: '/usr/aarch64-linux-gnu/lib',
    to: 'lib/aarch64-linux-gnu',
    loader: 'ld-linux-aarch64.so.1',
    loaderTo: 'lib',
    suffix: '-arm64-cross',
  },
};

/** What `ldd` says of Node. */
const libraries = [
  'libc.so.6',
  'libdl.so.2',
  'libgcc_s.so.1',
  'libm.so.6',
  'libpthread.so.0',
  'libstdc++.so.6',
];
const packages = ['libc6', 'libgcc-s1', 'libstdc++6'];

/** No root: the plugin needs nothing of its own machine. 65532 is the number that distroless images use. */
const user = '65532:65532';

export const imageName = `${programName}:${version}`;

/**
 * Writes an image as a docker-archive (the format of `docker save`), which `docker load`, `ctr images import`,
 * `crane push` and skopeo take.
 *
 * @param {string} arch of the executable
 * @param {string} folder with the executable and the licences
 * @throws where the libraries are not on this machine
 */
export function writeImage(arch, folder, output) {
  const work = mkdtempSync(join(tmpdir(), 'kubectl-csi-image-'));
  try {
    const root = join(work, 'root');
    const files = [...programFiles(root, arch, folder), ...libraryFiles(root, arch)];
    writeFileSync(join(work, 'layer.tar'), tarOf(root, files));
    writeFileSync(join(work, 'config.json'), configOf(arch, readFileSync(join(work, 'layer.tar'))));
    const manifest = [{ Config: 'config.json', RepoTags: [imageName], Layers: ['layer.tar'] }];
    writeFileSync(join(work, 'manifest.json'), JSON.stringify(manifest));
    const parts = ['manifest.json', 'config.json', 'layer.tar'].map((name) => ({ name }));
    writeFileSync(output, tarOf(work, parts));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const program = `usr/bin/${programName}`;

function programFiles(root, arch, folder) {
  place(root, join(folder, targetNamed(`linux-${arch}`).program), program);
  const licences = ['LICENSE', 'THIRD-PARTY-LICENSES'].map((name) =>
    place(root, join(folder, name), `usr/share/doc/${programName}/${name}`),
  );
  return [{ name: program, executable: true }, ...licences];
}

function libraryFiles(root, arch) {
  const { folder, to, loader, loaderTo, suffix } = systems[arch];
  if (!existsSync(join(folder, loader)))
    throw new Error(
      `${folder} lacks ${loader}: make the image for ${arch} on a Debian of that architecture, or install ${packages.map((name) => `${name}-${arch}-cross`).join(' ')}`,
    );
  const placed = libraries.map((name) => place(root, join(folder, name), `${to}/${name}`));
  const start = place(root, join(folder, loader), `${loaderTo}/${loader}`);
  const notices = packages
    .map((name) => [name, `/usr/share/doc/${name}${suffix}/copyright`])
    .filter(([, path]) => existsSync(path))
    .map(([name, path]) => place(root, path, `usr/share/doc/${name}/copyright`));
  return [{ ...start, executable: true }, ...placed, ...notices];
}

function place(root, from, name) {
  const target = join(root, name);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(from, target);
  return { name };
}

const configOf = (architecture, layer) =>
  JSON.stringify({
    architecture,
    os: 'linux',
    config: { Entrypoint: [`/${program}`], Cmd: ['status'], User: user, Env: ['PATH=/usr/bin'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${createHash('sha256').update(layer).digest('hex')}`] },
  });

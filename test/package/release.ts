import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { targets } from '../../scripts/package/targets.mjs';
import { packageTargets } from '../../scripts/package.mjs';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface Target {
  readonly id: string;
  readonly os: 'linux' | 'darwin' | 'windows';
  readonly arch: 'amd64' | 'arm64';
  readonly program: string;
  readonly archive: string;
}

export interface Release {
  readonly folder: string;
  readonly targets: readonly Target[];
  readonly packages: readonly string[];
}

let whole: Promise<Release> | undefined;

/** Packages targets into a folder of their own. */
export const packaged = (ids: readonly string[]): Promise<Release> =>
  packageTargets({ ids, folder: temporaryFolder(), log: () => undefined }) as Promise<Release>;

/** All targets: those of the folder KUBECTL_CSI_RELEASE, to test a release's very files, or made once for all tests. */
export function wholeRelease(): Promise<Release> {
  whole ??= releaseWith([]);
  return whole;
}

/** As `wholeRelease`, but makes no more than the named targets. */
export async function releaseWith(ids: readonly string[]): Promise<Release> {
  const made = process.env.KUBECTL_CSI_RELEASE;
  return made ? openRelease(made) : packaged(ids);
}

interface Bill {
  readonly components: readonly { readonly name: string; readonly purl: string }[];
}

function openRelease(folder: string): Release {
  const bill = JSON.parse(readFileSync(join(folder, 'kubectl-csi.cdx.json'), 'utf8')) as Bill;
  const npm = bill.components.filter(({ purl }) => purl.startsWith('pkg:npm/'));
  const packages = npm
    .map(({ name }) => name)
    .filter((name) => !/^node-(bin-)?(linux|darwin|win)/.test(name));
  return { folder, targets: targets as readonly Target[], packages };
}

export const programOf = ({ folder }: Release, { id, program }: Target) => join(folder, id, program);

export function targetOf({ targets }: Release, id: string): Target {
  const found = targets.find((target) => target.id === id);
  if (!found) throw new Error(`the release has no ${id}`);
  return found;
}

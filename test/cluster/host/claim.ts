import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { identify, type ProcessId } from './processes.ts';

/**
 * A cluster's claim on a number of this machine. Whatever the cluster makes outside its own folder (a bridge,
 * links, subnets, cgroups) is named by that number, and the claim is written before any of it is made: so a
 * later run can remove all that a killed one left, and nothing else.
 */
export interface Claim {
  readonly slot: number;
  readonly dir: string;
  /** The process that the cluster shall not outlive; none when it was left running in the background. */
  readonly owner: ProcessId | undefined;
}

export const claimsFolder = '/run/kubectl-csi-test';
const slots = 200;

const fileOf = (slot: number) => join(claimsFolder, `slot-${slot}`);

/** Claims the first free number for the cluster in `dir`, owned by this process. */
export function claimSlot(dir: string): Claim {
  for (let slot = 1; slot <= slots; slot++) {
    const claim: Claim = { slot, dir, owner: identify(process.pid) };
    if (take(claim)) return claim;
  }
  throw new Error(`all ${slots} numbers are taken by running clusters (${claimsFolder}): stop some`);
}

function take(claim: Claim): boolean {
  const draft = writeDraft(claim);
  try {
    linkSync(draft, fileOf(claim.slot));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

function writeDraft(claim: Claim): string {
  mkdirSync(claimsFolder, { recursive: true });
  const draft = join(claimsFolder, `draft-${process.pid}`);
  writeFileSync(draft, JSON.stringify(claim));
  return draft;
}

/** Lets the cluster outlive this process. */
export function disown(claim: Claim): Claim {
  const { slot, dir } = claim;
  const free: Claim = { slot, dir, owner: undefined };
  renameSync(writeDraft(free), fileOf(slot));
  return free;
}

export function release(claim: Claim): void {
  rmSync(fileOf(claim.slot), { force: true });
  try {
    rmdirSync(claimsFolder);
  } catch {
    // Another cluster's claim is in it, or another run was faster.
  }
}

export function readClaims(): Claim[] {
  return listFolder().flatMap((file) => {
    if (!file.startsWith('slot-')) return [];
    try {
      return [JSON.parse(readFileSync(join(claimsFolder, file), 'utf8')) as Claim];
    } catch {
      return [];
    }
  });
}

function listFolder(): string[] {
  try {
    return readdirSync(claimsFolder);
  } catch {
    return [];
  }
}

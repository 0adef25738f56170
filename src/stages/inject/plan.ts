import { mapConcurrent } from '../../model/concurrent.ts';
import type { ContainerPlan, Edit, WorkloadPlan } from '../../model/injection.ts';
import { type CsiContainer, workloadText } from '../../model/workload.ts';
import { isSame, onTop, valueAt } from '../../workload/change/edit.ts';
import { type ChangeRecord, recordAnnotation, recordOf } from '../../workload/change/record.ts';
import { diffOf, objectPatch } from '../../workload/change/write.ts';
import { kindOf, podSpecOf, refOf, templateOf, type WorkloadObject } from '../../workload/kinds.ts';
import { managersOf } from '../../workload/managers.ts';
import { optedOut } from '../../workload/probe/opt-out.ts';
import { type Candidate, candidateOf, isCandidate, nothing, probeEdits } from '../../workload/probe/plan.ts';
import { propagationPlan } from '../../workload/probe/propagation.ts';
import { csiContainers } from '../../workload/volumes.ts';
import { type Asked, askContainer } from './ask.ts';
import { binaryPart } from './binary.ts';
import { type Chosen, chooseProbe } from './choose.ts';
import type { Facts } from './facts.ts';
import type { Intent } from './intent.ts';
import type { Target } from './targets.ts';

/** A plan with the object that it was made for, and what has to be there before. */
export interface Planned {
  readonly object: WorkloadObject;
  readonly plan: WorkloadPlan;
  readonly record: ChangeRecord | undefined;
  /** To be made before the workload refers to it. */
  readonly configMap?: ReturnType<typeof import('../../workload/probe/binary.ts').binaryConfigMap>;
}

interface Part {
  readonly plan: ContainerPlan;
  readonly edits: readonly Edit[];
  readonly binary?: Candidate;
}

const containersAtOnce = 5;

/** @returns undefined where no container mounts a CSI volume that is meant */
export async function planTarget(facts: Facts, target: Target, intent: Intent): Promise<Planned | undefined> {
  const { object } = target;
  const containers = await meantContainers(facts, object, intent);
  if (containers.length === 0) return undefined;
  const before = recordOf(object);
  if (before === 'unreadable') return { object, record: undefined, plan: unreadable(target) };
  const out = optedOut(object);
  if (out !== undefined) {
    const left = containers.map((container) => nothing(container, out));
    return { object, record: before, plan: { ...emptyPlan(target), containers: left } };
  }
  const parts = await mapConcurrent(containers, containersAtOnce, (container) =>
    partOf(facts, object, container, before, intent),
  );
  return assemble(facts, target, intent, parts, before);
}

export async function meantContainers(
  facts: Facts,
  object: WorkloadObject,
  { driver, containers }: Intent,
): Promise<readonly CsiContainer[]> {
  const { namespace } = refOf(object);
  const all = csiContainers(templateOf(object, namespace), await facts.volumes(namespace));
  return all
    .filter(({ name }) => containers === undefined || containers.includes(name))
    .map((each) => (driver === undefined ? each : ofDriver(each, driver)))
    .filter(({ mounts }) => mounts.length > 0);
}

const ofDriver = (container: CsiContainer, name: string): CsiContainer => ({
  ...container,
  mounts: container.mounts.filter(({ volume: { driver } }) => driver.seen && driver.value === name),
});

async function partOf(
  facts: Facts,
  object: WorkloadObject,
  container: CsiContainer,
  record: ChangeRecord | undefined,
  intent: Intent,
): Promise<Part> {
  if (intent.mode === 'propagation') return propagationPlan(container);
  const candidate = candidateOf(container, podSpecOf(object), record, intent);
  if (!isCandidate(candidate)) return { plan: candidate, edits: [] };
  const asked: Asked = await askContainer(facts, object, container.name);
  const chosen = await chooseProbe(facts, candidate, asked, intent);
  return 'does' in chosen ? { plan: chosen, edits: [] } : probePart(object, candidate, chosen);
}

function probePart(object: WorkloadObject, candidate: Candidate, { probe, binary, plan }: Chosen): Part {
  const edits = grounded(object, probeEdits(candidate, probe));
  if (edits.length === 0)
    return { plan: nothing(candidate.container, 'it has exactly this probe'), edits: [] };
  return { plan, edits, ...(binary && { binary: candidate }) };
}

/** What is in the object now is what an edit starts from; what is there already is no edit. */
const grounded = (object: WorkloadObject, edits: readonly Edit[]): readonly Edit[] =>
  edits.flatMap((edit) => {
    const before = valueAt(podSpecOf(object), edit.path);
    return isSame(before, edit.after) ? [] : { ...edit, before };
  });

async function assemble(
  facts: Facts,
  target: Target,
  intent: Intent,
  parts: readonly Part[],
  before: ChangeRecord | undefined,
): Promise<Planned> {
  const { object } = target;
  const bearers = parts.flatMap(({ binary }) => binary ?? []);
  const binary = bearers.length > 0 ? await binaryPart(facts, object, bearers) : undefined;
  const containers = parts.map(({ plan }) => plan);
  if (binary && 'why' in binary)
    return { object, record: before, plan: { ...emptyPlan(target), containers, refused: binary } };
  const edits = grounded(object, [...(binary?.edits ?? []), ...parts.flatMap((part) => part.edits)]);
  const record: ChangeRecord = {
    version: 1,
    edits: onTop(before?.edits ?? [], edits),
    ...((binary ?? before)?.configMap && { configMap: (binary ?? before)?.configMap as string }),
  };
  const refusal = edits.length > 0 ? refusalOf(target, intent) : undefined;
  const plan: WorkloadPlan = {
    ...emptyPlan(target),
    containers,
    edits,
    diff: diffOf(object, edits),
    warnings: [...emptyPlan(target).warnings, ...(edits.length > 0 ? lagOf(object) : [])],
    ...(edits.length > 0 && { patch: objectPatch(object, edits, record) }),
    ...(refusal && { refused: refusal }),
  };
  return { object, record, plan, ...(binary && { configMap: binary.object }) };
}

export const emptyPlan = ({ object, notes }: Target): WorkloadPlan => ({
  workload: refOf(object),
  containers: [],
  edits: [],
  diff: [],
  warnings: [...notes, ...managersOf(object)],
});

const lagOf = (object: WorkloadObject) => {
  const lag = kindOf(object)?.lag;
  return lag ? [lag] : [];
};

const unreadable = (target: Target): WorkloadPlan => ({
  ...emptyPlan(target),
  refused: {
    why: `its annotation ${recordAnnotation} is not one that this version wrote`,
    next: `look at it, and take it away: kubectl annotate ${workloadText(refOf(target.object))} ${recordAnnotation}-`,
  },
});

/** Why the object is left alone although its containers could be changed. */
export function refusalOf({ object, owner }: Target, { replace }: Intent): WorkloadPlan['refused'] {
  const windows = podSpecOf(object).os?.name === 'windows';
  if (windows) return { why: 'its pods run on Windows, where no FUSE mount is', next: 'leave it as it is' };
  if (owner)
    return {
      why: `${workloadText(owner)} makes its pods anew, and is of a kind that kubectl csi cannot change`,
      next: `change the pod template in ${workloadText(owner)}; -o yaml prints the patch`,
    };
  const fixed = kindOf(object)?.fixed;
  if (!fixed || replace) return undefined;
  return {
    why: fixed,
    next: `--replace deletes it and makes it again with the change: it is down meanwhile, and what is in its emptyDirs is lost`,
  };
}

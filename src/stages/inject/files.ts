import { dump } from 'js-yaml';
import type { CommandContext } from '../../cli/context.ts';
import { type ExitCode, exitCode } from '../../cli/exit-code.ts';
import type { Flags } from '../../cli/global-flags.ts';
import { UsageError } from '../../cli/usage-error.ts';
import { readManifests } from '../../files/manifests.ts';
import type { WorkloadPlan } from '../../model/injection.ts';
import { workloadText } from '../../model/workload.ts';
import { editedObject } from '../../workload/change/write.ts';
import { kindOf, type WorkloadObject } from '../../workload/kinds.ts';
import type { VolumeObjects } from '../../workload/volumes.ts';
import { Facts } from './facts.ts';
import type { Intent } from './intent.ts';
import { planTarget } from './plan.ts';

/** Prints the documents of a file with the change in them; the cluster is asked and not changed. */
export async function injectIntoFiles(
  context: CommandContext,
  flags: Flags,
  intent: Intent,
): Promise<ExitCode> {
  refuseFlags(flags, intent);
  const objects = (await readManifests(String(flags.filename))) as readonly WorkloadObject[];
  const connection = await context.connect();
  const namespace = (flags.namespace as string | undefined) ?? connection.namespace;
  const facts = new Facts(connection.api, context.signal, volumeObjects(objects, namespace));
  const printed: object[] = [];
  let code: ExitCode = exitCode.well;
  for (const object of objects) {
    const changed = kindOf(object) ? await change(facts, object, namespace, intent) : undefined;
    if (changed && tell(context, changed.plan)) code = exitCode.findings;
    if (changed?.configMap) printed.push(changed.configMap);
    printed.push(changed ? editedObject(object, changed.plan.refused ? [] : changed.plan.edits) : object);
  }
  context.write(documents(printed, flags.output === 'json'));
  return code;
}

function refuseFlags(flags: Flags, { mode }: Intent): void {
  if (((flags.workload as readonly string[] | undefined) ?? []).length > 0 || flags.all === true)
    throw new UsageError('-f and names of workloads exclude each other', 'Give one of them.');
  if (mode === 'undo')
    throw new UsageError('--undo is about objects in a cluster', 'Take an earlier version of the file.');
  if (['wide', 'name'].includes(String(flags.output)))
    throw new UsageError(`-f prints documents, not -o ${flags.output}`, 'Use -o yaml or -o json.');
}

/** A file is changed whatever the kind: what it makes is new. */
const change = (facts: Facts, object: WorkloadObject, namespace: string, intent: Intent) => {
  const metadata = { ...object.metadata, namespace: object.metadata.namespace ?? namespace };
  return planTarget(facts, { object: { ...object, metadata }, notes: [] }, { ...intent, replace: true });
};

/** Says on standard error what was done with each container. @returns whether something was left alone */
function tell(context: CommandContext, { workload, containers, refused }: WorkloadPlan): boolean {
  const name = workloadText(workload);
  for (const { name: container, does, why, next, notes } of containers)
    for (const line of [
      why && `${does === 'refuse' ? 'left alone' : 'nothing to do'}: ${why}`,
      next && `→ ${next}`,
      ...notes,
    ])
      if (line) context.warn(`${name}, ${container}: ${line}`);
  if (refused) context.warn(`${name}: left alone: ${refused.why}\n→ ${refused.next}`);
  return refused !== undefined || containers.some(({ does }) => does === 'refuse');
}

type Item<K extends keyof VolumeObjects> = VolumeObjects[K][number];

/** Claims, volumes and classes that the same file brings. */
function volumeObjects(objects: readonly WorkloadObject[], namespace: string): VolumeObjects {
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind) as unknown[];
  return {
    claims: (ofKind('PersistentVolumeClaim') as Item<'claims'>[]).map((claim) => ({
      ...claim,
      metadata: { ...claim.metadata, namespace: claim.metadata?.namespace ?? namespace },
    })),
    volumes: ofKind('PersistentVolume') as Item<'volumes'>[],
    classes: ofKind('StorageClass') as Item<'classes'>[],
  };
}

function documents(objects: readonly object[], asJson: boolean): string {
  if (!asJson)
    return objects
      .map((object) => dump(object, { noRefs: true, lineWidth: -1, noArrayIndent: true }))
      .join('---\n');
  const [first, ...more] = objects;
  const document = more.length === 0 ? first : { apiVersion: 'v1', kind: 'List', items: objects };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

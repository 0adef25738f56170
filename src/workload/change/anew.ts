import type { WorkloadObject } from '../kinds.ts';

/** Labels that the Job controller sets, and refuses in a Job that is made anew. */
const jobLabels = [
  'controller-uid',
  'job-name',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
];

/** Fields of the metadata that the server sets. */
const serverFields = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'managedFields',
  'selfLink',
];

/** An object as it would be created, made of one that is there: without what the server and its controllers set. */
export function anew({ status: _status, ...object }: WorkloadObject): WorkloadObject {
  const metadata = { ...without(object.metadata, serverFields), name: object.metadata.name };
  return { ...object, metadata, spec: object.kind === 'Job' ? jobSpec(object.spec) : object.spec };
}

type Fields = Readonly<Record<string, unknown>>;

/** The selector is the controller's own too, unless `manualSelector` says that it is not. */
function jobSpec(spec: Fields): Fields {
  if (spec.manualSelector === true) return spec;
  const template = spec.template as { readonly metadata?: { readonly labels?: Fields } };
  const labels = without(template.metadata?.labels ?? {}, jobLabels);
  return {
    ...without(spec, ['selector']),
    template: { ...template, metadata: { ...template.metadata, labels } },
  };
}

const without = (fields: object, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** Why an object must not be deleted to be made anew; absent where nothing but time is lost. */
export function lostAnew({ kind, spec }: WorkloadObject): string | undefined {
  const volumes = (spec.volumes ?? []) as readonly { readonly name: string; readonly ephemeral?: object }[];
  const own = kind === 'Pod' ? volumes.find(({ ephemeral }) => ephemeral !== undefined) : undefined;
  return own && `its generic ephemeral volume ${own.name} goes with the pod, and what is in it`;
}

import { readFile, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { loadAll } from 'js-yaml';
import { UsageError } from '../cli/usage-error.ts';
import { errorText } from '../model/error-text.ts';

/** The objects of a file of YAML or JSON documents; `-` is standard input. @throws UsageError */
export async function readManifests(file: string): Promise<readonly object[]> {
  const documents = parse(file, file === '-' ? await text(process.stdin) : await read(file));
  const objects = documents.flatMap((document) => (isList(document) ? document.items : [document]));
  const strange = objects.findIndex((object) => typeof object !== 'object' || !('kind' in object));
  if (strange >= 0)
    throw new UsageError(
      `document ${strange + 1} of ${name(file)} has no kind: it is no Kubernetes object`,
      'Give what kubectl apply -f would take.',
    );
  if (objects.length === 0)
    throw new UsageError(`${name(file)} has no document`, 'Give what kubectl apply -f would take.');
  return objects;
}

const name = (file: string) => (file === '-' ? 'standard input' : file);

const isList = (document: object): document is { readonly items: readonly object[] } =>
  'kind' in document && document.kind === 'List' && 'items' in document && Array.isArray(document.items);

async function read(file: string): Promise<string> {
  try {
    if ((await stat(file)).isDirectory())
      throw new UsageError(
        `${file} is a folder`,
        `kubectl kustomize ${file} | kubectl csi inject-probe -f - takes what Kustomize makes of it.`,
      );
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `${file} cannot be read: ${errorText(error)}`,
      'Check the path; - is standard input.',
    );
  }
}

function parse(file: string, content: string): readonly object[] {
  try {
    return (loadAll(content) as readonly unknown[]).filter(
      (each) => each !== null && each !== undefined,
    ) as object[];
  } catch (error) {
    throw new UsageError(
      `${name(file)} is no YAML: ${errorText(error)}`,
      'Give what kubectl apply -f would take.',
    );
  }
}

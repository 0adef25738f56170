import { isConflict, isNotFound } from '../../cluster/errors.ts';
import { errorText } from '../../model/error-text.ts';
import type { binaryConfigMap } from '../../workload/probe/binary.ts';
import type { Facts } from './facts.ts';

type ConfigMap = ReturnType<typeof binaryConfigMap>;

const folder = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

/** Makes it, or finds the same one. @returns whether it was made. @throws Error when another one has its name: somebody else's code would run */
export async function makeConfigMap(facts: Facts, object: ConfigMap, dryRun: boolean): Promise<boolean> {
  const { namespace, name } = object.metadata;
  const query = dryRun ? { dryRun: 'All' } : {};
  try {
    await facts.api.create(folder(namespace), object, query, { signal: facts.signal });
    return !dryRun;
  } catch (error) {
    if (!isConflict(error)) throw error;
    const found = await facts.api.get<ConfigMap>(
      `${folder(namespace)}/${name}`,
      {},
      { signal: facts.signal },
    );
    if (found.binaryData?.agent !== object.binaryData.agent || found.immutable !== true)
      throw new Error(
        `the ConfigMap ${name} is there already and holds something else: look at it, and delete it`,
      );
    return false;
  }
}

/** @returns what is left, in words */
export async function removeConfigMap(
  facts: Facts,
  namespace: string,
  name: string,
): Promise<string | undefined> {
  try {
    await facts.api.remove(`${folder(namespace)}/${name}`, undefined, {}, { signal: facts.signal });
    return undefined;
  } catch (error) {
    return isNotFound(error) ? undefined : `the ConfigMap ${name} is left: ${errorText(error)}`;
  }
}

import { isDeepStrictEqual } from 'node:util';
import type { VolumeView } from '../../diagnose/view.ts';
import type { Replay } from '../../kubelet/publish/index.ts';
import { RefusedError, type Work } from '../define-repair.ts';
import type { DriverPort } from '../ports.ts';
import { placeOf } from '../registration.ts';
import { endpointOf } from './units.ts';

type Request = Extract<Replay, { kind: 'request' }>;

export interface Publication {
  readonly volume: VolumeView;
  readonly request: Request;
}

/** Everything that is needed to publish one volume again, before anything is touched. */
export interface Prepared {
  readonly driver: DriverPort;
  readonly publications: readonly Publication[];
}

/**
 * All requests are built before anything is touched: a field that cannot be known stops the repair here.
 * @param volumes one volume, as each pod has it
 * @throws RefusedError
 */
export async function prepare(work: Work, volumes: readonly VolumeView[]): Promise<Prepared> {
  const endpoint = endpointOf(volumes, work.view);
  if (!endpoint) throw new RefusedError('the driver does not answer');
  const { kubelet } = placeOf(work.view);
  const driver = await work.node.driver(kubelet.pid, endpoint);
  try {
    if (!(await driver.probe(work.signal))) throw new RefusedError('the driver says that it is not ready');
    return { driver, publications: await requestsFor(work, volumes, driver) };
  } catch (error) {
    driver.close();
    throw error;
  }
}

export async function requestsFor(
  { node, view, signal }: Work,
  volumes: readonly VolumeView[],
  driver: DriverPort,
): Promise<readonly Publication[]> {
  const capabilities = await driver.capabilities(signal);
  const { root } = placeOf(view);
  const publications = await Promise.all(
    volumes.map(async (volume): Promise<Publication> => {
      if (!volume.use) throw new RefusedError('the volume belongs to no pod');
      const facts = { kubeletRoot: root.path, capabilities, volData: volume.target.volData };
      const request = await node.replay(volume.use, facts);
      if (request.kind === 'refused')
        throw new RefusedError(`${request.field} of the request cannot be known: ${request.why}`);
      return { volume, request };
    }),
  );
  checkStaging(publications);
  return publications;
}

/** Kubelet staged with the fsGroup and SELinux context of the pod that came first, which nothing tells afterwards. */
function checkStaging(publications: readonly Publication[]): void {
  const [first, ...others] = publications.map(({ request }) => request.stage?.volumeCapability);
  if (others.every((other) => isDeepStrictEqual(first, other))) return;
  throw new RefusedError('the pods on this volume would stage it differently (fsGroup or SELinux context)');
}

/** For what comes after something was touched already: a refusal then is a failure. */
export function afterTouching(error: unknown): never {
  throw error instanceof RefusedError ? new Error(error.message, { cause: error }) : error;
}

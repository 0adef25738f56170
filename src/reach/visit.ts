import { randomBytes } from 'node:crypto';
import type { Api } from '../cluster/api.ts';
import type { NodeName } from '../model/ids.ts';
import { clientIdentity } from './client-identity.ts';
import { Carriers } from './pod/carrier.ts';
import { Admission, type PlaceOptions, placesOn } from './pod/places.ts';
import type { Access, DebugImage, Run } from './pod/pod-spec.ts';

/** Everything that the debug pods of one run share. */
export interface Visit {
  readonly api: Api;
  readonly run: Run;
  readonly carriers: Carriers;
  admission(access: Access): Admission;
  places(node: NodeName, signal: AbortSignal): Promise<readonly DebugImage[]>;
}

/** @param deadline seconds after which every pod of the run ends by itself */
export function startVisit(api: Api, options: PlaceOptions, deadline: number): Visit {
  const run: Run = {
    id: randomBytes(5).toString('hex'),
    client: clientIdentity(),
    expires: new Date(Date.now() + deadline * 1000).toISOString(),
    deadline,
  };
  const admissions = new Map<Access, Admission>();
  return {
    api,
    run,
    carriers: new Carriers(api, run),
    admission: (access) => {
      const admission = admissions.get(access) ?? new Admission(api, run, access);
      admissions.set(access, admission);
      return admission;
    },
    places: (node, signal) => placesOn(api, node, options, signal),
  };
}

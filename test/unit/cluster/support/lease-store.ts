import type { Handler, Seen } from './server.ts';
import { refuse } from './server.ts';

interface StoredLease {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Leases in memory with the API server's rules: versions, conflicts, preconditions, MicroTime with six digits. */
export class LeaseStore {
  readonly leases = new Map<string, StoredLease>();
  /** What to do before a request is answered; what it returns is the answer. */
  before: Handler = () => undefined;
  #version = 0;

  readonly handler: Handler = async (request, response) => {
    const early = await this.before(request, response);
    if (early !== undefined) return early;
    const name = request.url.split('/leases/')[1]?.split('?')[0];
    const body = request.body ? JSON.parse(request.body) : {};
    for (const time of [body.spec?.renewTime, body.spec?.acquireTime]) {
      if (time && !/T\d\d:\d\d:\d\d\.\d{6}Z$/.test(time))
        return refuse(response, 400, 'BadRequest', `cannot parse ${time}`);
    }
    return this.#answer(request, name ?? body.metadata.name, body, response);
  };

  put(name: string, spec: Readonly<Record<string, unknown>>, uid = `uid-${name}`): StoredLease {
    this.#version += 1;
    const lease = { metadata: { name, uid, resourceVersion: String(this.#version) }, spec };
    this.leases.set(name, lease);
    return lease;
  }

  #answer(
    { method }: Seen,
    name: string,
    body: StoredLease & { preconditions?: object },
    response: Parameters<Handler>[1],
  ) {
    const old = this.leases.get(name);
    if (method === 'POST') {
      return old
        ? refuse(response, 409, 'AlreadyExists', `leases "${name}" already exists`)
        : this.put(name, body.spec);
    }
    if (!old) return refuse(response, 404, 'NotFound', `leases "${name}" not found`);
    if (method === 'GET') return old;
    const wanted = { ...body.metadata, ...body.preconditions } as Partial<StoredLease['metadata']>;
    const stale = wanted.resourceVersion && wanted.resourceVersion !== old.metadata.resourceVersion;
    const other = wanted.uid && wanted.uid !== old.metadata.uid;
    if (stale || other) return refuse(response, 409, 'Conflict', 'the object has been modified');
    if (method === 'PATCH') return this.put(name, { ...old.spec, ...body.spec });
    this.leases.delete(name);
    return { kind: 'Status', status: 'Success' };
  }
}

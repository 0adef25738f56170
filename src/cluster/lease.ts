import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Lease } from '@kubernetes/client-node';
import type { Wire } from '../kubelet/wire.ts';
import { errorText } from '../model/error-text.ts';
import type { Api } from './api.ts';
import { isConflict, isNotFound } from './errors.ts';
import { LeaseHeldError, LeaseLostError } from './lease-errors.ts';

type Lease = Wire<V1Lease>;

export interface LeaseRequest {
  readonly name: string;
  readonly namespace: string;
  /** Who holds it, for a person: user, machine and run. Of its own for each run: an equal holder is taken for us. */
  readonly holder: string;
  /** How long it lasts without being renewed. */
  readonly seconds: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch; the machine's clock where absent. */
  readonly now?: () => number;
}

export interface HeldLease {
  /** Aborts when the caller's signal does, or when the lease is lost (reason: LeaseLostError). */
  readonly signal: AbortSignal;
  /** Stops renewing and deletes the lease, if it is still ours. Never rejects: what failed comes back as text. */
  release(): Promise<string | undefined>;
}

const attempts = 3;
const releaseLimitMs = 5_000;

/**
 * Takes the lease, renews it in the background, gives it back.
 * An expired lease is taken over by its resourceVersion, so that one of several wins. Expiry is judged by this
 * machine's clock against the holder's: if they differ by more than the lease lasts, the holder's next renewal fails
 * and its signal aborts.
 * @throws LeaseHeldError, ApiError, ConnectionError
 */
export async function holdLease(api: Api, request: LeaseRequest, signal: AbortSignal): Promise<HeldLease> {
  const lost = new AbortController();
  const ended = new AbortController();
  const running = AbortSignal.any([signal, ended.signal]);
  const held = { lease: await acquire(api, request, signal) };
  const renewing = keep(api, request, held, running).catch((error: unknown) => {
    if (!running.aborted) lost.abort(error);
  });
  const release = async () => {
    ended.abort();
    await renewing;
    return lost.signal.aborted ? undefined : giveBack(api, request, held.lease);
  };
  return { signal: AbortSignal.any([signal, lost.signal]), release };
}

const collection = ({ namespace }: LeaseRequest) =>
  `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
const clock = ({ now = Date.now }: LeaseRequest) => now();

/** Between two renewals, and for each; whole milliseconds, as AbortSignal.timeout wants them. */
const renewalMs = ({ seconds }: LeaseRequest) => Math.floor((seconds * 1000) / 3);

/** MicroTime has exactly six digits (k8s.io/apimachinery meta/v1 RFC3339Micro); the server refuses others. */
const microTime = (ms: number) => new Date(ms).toISOString().replace('Z', '000Z');

async function acquire(api: Api, request: LeaseRequest, signal: AbortSignal): Promise<Lease> {
  for (let attempt = 1; ; attempt++) {
    try {
      const old = await read(api, request, signal);
      return old ? await takeOver(api, request, old, signal) : await create(api, request);
    } catch (error) {
      const raced = isConflict(error) || isNotFound(error);
      if (!raced || attempt === attempts) throw error;
    }
  }
}

async function read(api: Api, request: LeaseRequest, signal: AbortSignal): Promise<Lease | undefined> {
  try {
    return await api.get<Lease>(`${collection(request)}/${request.name}`, {}, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Not with the signal: a request that is cut off may still be carried out, and nobody would give the lease back. */
async function create(api: Api, request: LeaseRequest): Promise<Lease> {
  const { name, namespace, labels = {} } = request;
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace, labels },
    spec: { ...heldSpec(request), leaseTransitions: 0 },
  };
  return (await api.create<Lease>(collection(request), lease)).object;
}

function heldSpec(request: LeaseRequest) {
  const time = microTime(clock(request));
  const { holder, seconds } = request;
  return { holderIdentity: holder, leaseDurationSeconds: seconds, acquireTime: time, renewTime: time };
}

function takeOver(api: Api, request: LeaseRequest, old: Lease, signal: AbortSignal): Promise<Lease> {
  const until = Date.parse(old.spec?.renewTime ?? '') + (old.spec?.leaseDurationSeconds ?? 0) * 1000;
  const mine = old.spec?.holderIdentity === request.holder;
  if (old.spec?.holderIdentity && !mine && until > clock(request)) {
    throw new LeaseHeldError(request.name, old.spec, new Date(until).toISOString());
  }
  const leaseTransitions = (old.spec?.leaseTransitions ?? 0) + 1;
  return update(api, request, old, { ...heldSpec(request), leaseTransitions }, signal);
}

/** A merge patch that names a resourceVersion fails with a conflict when the object has changed since. */
function update(
  api: Api,
  request: LeaseRequest,
  old: Lease,
  spec: object,
  signal: AbortSignal,
): Promise<Lease> {
  const patch = { metadata: { resourceVersion: old.metadata?.resourceVersion }, spec };
  return api.patch<Lease>(`${collection(request)}/${request.name}`, patch, 'merge', {}, { signal });
}

/** Renews three times within the lease's life. Ends by throwing LeaseLostError, or when the signal aborts. */
async function keep(
  api: Api,
  request: LeaseRequest,
  held: { lease: Lease },
  signal: AbortSignal,
): Promise<never> {
  const lifeMs = request.seconds * 1000;
  let renewed = clock(request);
  for (;;) {
    await sleep(renewalMs(request), undefined, { signal, ref: false });
    const started = clock(request);
    try {
      held.lease = await renew(api, request, held.lease, signal);
      renewed = started;
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      if (clock(request) - renewed >= lifeMs) throw lostLease(request, errorText(error));
    }
  }
}

async function renew(api: Api, request: LeaseRequest, lease: Lease, signal: AbortSignal): Promise<Lease> {
  const spec = { renewTime: microTime(clock(request)) };
  const within = AbortSignal.any([signal, AbortSignal.timeout(renewalMs(request))]);
  try {
    return await update(api, request, lease, spec, within);
  } catch (error) {
    if (isNotFound(error)) throw lostLease(request, 'it was deleted');
    if (!isConflict(error)) throw error;
  }
  const now = await read(api, request, within);
  if (now?.spec?.holderIdentity === request.holder) return update(api, request, now, spec, within);
  throw lostLease(request, now ? `${now.spec?.holderIdentity} has taken it` : 'it was deleted');
}

const lostLease = ({ name }: LeaseRequest, why: string) =>
  new LeaseLostError(
    `lease ${name} is lost: ${why}`,
    'Run the command again: it begins with what is left to do.',
  );

async function giveBack(api: Api, request: LeaseRequest, lease: Lease): Promise<string | undefined> {
  const signal = AbortSignal.timeout(releaseLimitMs);
  try {
    await removeOwn(api, request, lease, signal).catch(async (error: unknown) => {
      // A renewal that was on its way when the run ended may have changed the version.
      const now = isConflict(error) ? await read(api, request, signal) : undefined;
      if (now?.spec?.holderIdentity !== request.holder) throw error;
      await removeOwn(api, request, now, signal);
    });
    return undefined;
  } catch (error) {
    const gone = isNotFound(error) || isConflict(error);
    return gone ? undefined : `lease ${request.name} was not given back: ${errorText(error)}`;
  }
}

function removeOwn(api: Api, request: LeaseRequest, { metadata }: Lease, signal: AbortSignal): Promise<void> {
  const preconditions = { uid: metadata?.uid, resourceVersion: metadata?.resourceVersion };
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
  return api.remove(`${collection(request)}/${request.name}`, body, {}, { signal });
}

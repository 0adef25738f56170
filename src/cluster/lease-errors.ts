import type { V1LeaseSpec } from '@kubernetes/client-node';
import type { Wire } from '../kubelet/wire.ts';
import { ClusterError } from './errors.ts';

/** Somebody else holds the lease. Times are RFC 3339. */
export class LeaseHeldError extends ClusterError {
  override readonly name = 'LeaseHeldError';
  readonly holder: string;
  readonly since: string;
  readonly until: string;

  constructor(name: string, { holderIdentity = '', acquireTime = '' }: Wire<V1LeaseSpec>, until: string) {
    const message = `lease ${name} is held by ${holderIdentity} since ${acquireTime || 'an unknown time'}, until ${until} unless it is renewed`;
    super(message, `Wait for ${holderIdentity} to end, or until the lease has run out.`);
    this.holder = holderIdentity;
    this.since = acquireTime;
    this.until = until;
  }
}

/** The lease is no longer ours: stop at the next safe point. */
export class LeaseLostError extends ClusterError {
  override readonly name = 'LeaseLostError';
}

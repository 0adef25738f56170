import { UsageError } from '../cli/usage-error.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { checkScope } from './look.ts';
import type { Scope } from './scope.ts';

/** The part of a captured snapshot that the scope names. Label selectors are the API server's to understand. */
export function narrow(snapshot: Snapshot, scope: Scope): Snapshot {
  if (scope.selector)
    throw new UsageError('--selector needs a cluster', 'With --from, name the nodes with --node.');
  checkScope(snapshot, scope);
  const { nodes } = scope;
  return nodes ? { ...snapshot, nodes: snapshot.nodes.filter(({ name }) => nodes.includes(name)) } : snapshot;
}

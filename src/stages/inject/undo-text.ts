import { kindOf } from '../../workload/kinds.ts';
import type { Intent } from './intent.ts';
import type { Planned } from './plan.ts';

/** What takes a change back, to be added to why it failed. An undo has none. */
export function undoText({ plan, object }: Planned, { mode }: Pick<Intent, 'mode'>): string {
  if (mode === 'undo') return '';
  const { kind, name, namespace } = plan.workload;
  const replace = kindOf(object)?.fixed ? ' --replace' : '';
  const command = `kubectl csi inject-probe ${kind.toLowerCase()}/${name} -n ${namespace} --undo${replace}`;
  return `; ${command} takes it back`;
}

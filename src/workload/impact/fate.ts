import { keyText } from '../../model/ids.ts';
import type { Daemon, Fate, Home, Service, Trigger } from '../../model/impact.ts';

/** Which of a volume's fates counts: the worst that is known, then what is not known. */
const order: readonly Fate[] = ['dies', 'unknown', 'dead', 'survives'];

const worst = (fates: readonly Fate[]): Fate => order.find((fate) => fates.includes(fate)) ?? 'survives';

/**
 * What becomes of a volume.
 * @param kubeletTakes whether kubelet's end takes along what lives in its unit; undefined where that is not known
 */
export const fateOf = (
  services: readonly Service[],
  trigger: Trigger,
  kubeletTakes: boolean | undefined,
): Fate => worst(services.map((service) => fateOfService(service, trigger, kubeletTakes)));

function fateOfService(service: Service, trigger: Trigger, kubeletTakes: boolean | undefined): Fate {
  switch (service.by) {
    case 'kernel':
      return 'survives';
    case 'nobody':
      return 'dead';
    case 'unknown':
      return 'unknown';
    case 'daemons':
      return fateOfDaemons(service.daemons, trigger, kubeletTakes);
  }
}

/** The kernel aborts a connection when the last descriptor of it is closed (fs/fuse/dev.c, fuse_dev_release). */
function fateOfDaemons(
  daemons: readonly Daemon[],
  trigger: Trigger,
  kubeletTakes: boolean | undefined,
): Fate {
  const ends = daemons.map(({ home }) => endsWith(home, trigger, kubeletTakes));
  if (ends.includes(false)) return 'survives';
  return ends.includes(undefined) ? 'unknown' : 'dies';
}

function endsWith(home: Home, trigger: Trigger, kubeletTakes: boolean | undefined): boolean | undefined {
  switch (home.kind) {
    case 'plugin':
    case 'pod':
      return trigger.kind === 'pods' && trigger.pods.has(keyText(home.pod));
    case 'kubelet':
      return trigger.kind === 'kubelet' ? kubeletTakes : false;
    case 'unit':
    case 'process':
      return false;
    case 'unknown':
      return undefined;
  }
}

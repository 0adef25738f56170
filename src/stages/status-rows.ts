import { containersIn, isInUse } from '../diagnose/mounts.ts';
import { answeringSockets, isRefused, isServing } from '../diagnose/registration.ts';
import type { DriverView, NodeView } from '../diagnose/view.ts';
import type { Diagnosis, Finding } from '../model/finding.ts';
import type { Observed } from '../model/observed.ts';
import type { StatusRow } from '../render/report.ts';
import type { Sight } from './look.ts';

/** A row a node and driver. A node without a driver has none; a node that could not be seen has one that says so. */
export function statusRows({ view, scope, looked, uses }: Sight, diagnosis: Diagnosis): readonly StatusRow[] {
  return view.nodes.flatMap((node) =>
    node.drivers
      .filter(({ driver }) => scope.driver === undefined || driver === scope.driver)
      .filter(
        ({ driver }) =>
          uses === undefined || uses.some((use) => use.driver === driver && use.node === node.node.name),
      )
      .map((driver) => rowOf(driver, node, diagnosis, looked.includes('agent'))),
  );
}

const known = <T>(observed: Observed<T>) => (observed.seen ? observed.value : undefined);

function rowOf(driver: DriverView, node: NodeView, diagnosis: Diagnosis, deep: boolean): StatusRow {
  const listed = known(driver.listed);
  const kubelet = known(driver.held);
  const csiNode = driver.listed.seen ? listed !== undefined : undefined;
  const socket = deep ? socketWord(driver, node) : undefined;
  const volumes = node.node.kubeletVolumes.seen
    ? (node.node.kubeletVolumes.value[driver.driver] ?? 0)
    : undefined;
  const worst = findingOf(driver, diagnosis);
  const ill = deep ? illVolumes(driver, node) : {};
  const unseen = kubelet === undefined || csiNode === undefined || (deep && socket === undefined);
  const blind = unseen || isBlind(driver, diagnosis) || (csiNode === false && driver.sockets.length > 0);
  return {
    node: driver.node,
    driver: driver.driver,
    kubelet,
    csiNode,
    socket,
    plugin: pluginWord(driver),
    volumes,
    ...ill,
    ...verdictOf(worst, blind),
  };
}

/** Findings come sorted by severity: the first is the worst. */
const findingOf = ({ node, driver }: DriverView, { findings }: Diagnosis) =>
  findings.find(
    ({ subject, severity }) => severity !== 'notice' && subject.node === node && subject.driver === driver,
  );

/** What could not be seen of the driver, of one of its volumes or of the whole node keeps the row from saying ok. */
const isBlind = ({ node, driver }: DriverView, { blindSpots }: Diagnosis) =>
  blindSpots.some(
    ({ subject }) => subject.node === node && (subject.driver === undefined || subject.driver === driver),
  );

/** Volumes that are dead or hung on the node, or in one of their containers. */
function illVolumes({ driver }: DriverView, { volumes }: NodeView): Pick<StatusRow, 'dead' | 'hung'> {
  if (!volumes.seen) return { dead: undefined, hung: undefined };
  const own = volumes.value.filter((volume) => volume.driver === driver && isInUse(volume));
  const count = (state: 'dead' | 'hung') =>
    own.filter((volume) => volume.state === state || containersIn(volume, state).length > 0).length;
  return { dead: count('dead'), hung: count('hung') };
}

function verdictOf(worst: Finding | undefined, blind: boolean): Pick<StatusRow, 'verdict' | 'cause'> {
  if (worst) return { verdict: worst.severity === 'error' ? 'error' : 'warning', cause: worst.rule };
  return { verdict: blind ? 'unknown' : 'ok' };
}

function socketWord(driver: DriverView, { evidence }: NodeView): string | undefined {
  if (!evidence.seen || !evidence.value.entries.seen) return undefined;
  if (answeringSockets(driver).length > 0) return 'answers';
  const [socket] = driver.sockets;
  if (!socket) return 'none';
  if (isRefused(socket)) return 'stale';
  if (socket.socket?.connect.state !== 'accepted') return socket.socket?.connect.state ?? 'none';
  return socket.socket.asked ? 'no answer' : undefined;
}

function pluginWord({ pod }: DriverView): string {
  if (!pod) return 'none';
  if (pod.deleting) return 'ending';
  if (isServing(pod)) return 'ready';
  return pod.containers.find(({ ready }) => !ready)?.state ?? pod.phase;
}

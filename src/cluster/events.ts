import { randomBytes } from 'node:crypto';
import { errorText } from '../model/error-text.ts';
import type { Api, CallOptions } from './api.ts';

export interface InvolvedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Absent for objects without a namespace. */
  readonly namespace?: string;
  readonly uid?: string;
}

export interface EventFacts {
  readonly involved: InvolvedObject;
  readonly type: 'Normal' | 'Warning';
  /** One word in camel case, such as `DriverAnnouncedAgain`. */
  readonly reason: string;
  readonly message: string;
}

const component = 'kubectl-csi';
/** The limit of events.k8s.io, which core/v1 events are converted to. */
const longestMessage = 1024;

/** Records an Event. A failure never breaks the caller: it comes back as text. */
export async function recordEvent(
  api: Api,
  facts: EventFacts,
  options: CallOptions = {},
): Promise<string | undefined> {
  const event = eventObject(facts, new Date().toISOString());
  try {
    await api.create(`/api/v1/namespaces/${event.metadata.namespace}/events`, event, {}, options);
    return undefined;
  } catch (error) {
    return `the event ${facts.reason} on ${facts.involved.kind} ${facts.involved.name} was not recorded: ${errorText(error)}`;
  }
}

function eventObject({ involved, type, reason, message }: EventFacts, now: string) {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${involved.name.slice(0, 200)}.${randomBytes(8).toString('hex')}`,
      namespace: involved.namespace ?? 'default',
    },
    // Kubelet files its node events under the node's name as uid, and kubectl describe node looks there.
    involvedObject: involved.kind === 'Node' ? { ...involved, uid: involved.name } : involved,
    type,
    reason,
    message: message.slice(0, longestMessage),
    source: { component },
    reportingComponent: component,
    firstTimestamp: now.replace(/\.\d+/, ''),
    lastTimestamp: now.replace(/\.\d+/, ''),
    count: 1,
  };
}

import assert from 'node:assert/strict';
import { rules } from '../../../src/diagnose/rules/index.gen.ts';
import { hostPath } from '../../../src/model/ids.ts';
import { seen, unseen } from '../../../src/model/observed.ts';
import {
  blindSpotsOf,
  captured,
  changed,
  diagnosisOf,
  found,
  type Parts,
  seenValue,
  withoutAgents,
} from '../support/captures.ts';

/** From a recorded incident, by a change, to what one rule says. */
interface Case {
  readonly from: string;
  readonly change?: (parts: Parts) => void;
  /** Without a debug pod. */
  readonly shallow?: boolean;
  readonly reason?: string;
  readonly severity?: string;
  readonly blind?: boolean;
}

const socketPath = hostPath('/var/lib/kubelet/plugins_registry/x-reg.sock');
const unregister = ({ node }: Parts) => {
  node.csiNode = seen([]);
  node.kubeletPlugins = seen({ actual: [], desired: [] });
};
const forget = ({ node }: Parts) => {
  node.kubeletPlugins = seen({ actual: [], desired: [] });
};
const fsType = (type: string) => (parts: Parts) => {
  unregister(parts);
  if (parts.evidence.registry.seen) parts.evidence.registry.value.mount.fsType = type;
};
const container = ({ pod }: Parts, change: object) => {
  pod.containers = pod.containers.map((each, index) =>
    index === 0 ? { ...each, ready: false, ...change } : each,
  );
};
const unread = (part: 'entries' | 'registry' | 'root') => (parts: Parts) => {
  parts.evidence[part] = unseen('no access');
};
const limit =
  (allocatable: number) =>
  ({ node }: Parts) => {
    for (const entry of seenValue(node.csiNode)) Object.assign(entry, { allocatable });
  };
const noAgentNeeded: Case['shallow'] = true;

const silentLog = ({ evidence }: Parts) => {
  evidence.watcherLog = seen([]);
};
const overflow =
  'E1130 17:33:40.123456    5520 plugin_watcher.go:86] "FsWatcher received error" err="fsnotify: queue or buffer overflow"';
const startFailure =
  'E1130 17:33:40.123456    5520 plugin_manager.go:112] "The desired_state_of_world populator (plugin watcher) starts failed!" err="failed to start plugin fsWatcher, err: too many open files"';

const table: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  'registration-lost': {
    'a registered driver': { from: 'healthy' },
    "kubelet's word missing, CSINode's is enough": {
      from: 'healthy',
      change: ({ node }) => (node.kubeletPlugins = unseen('no proxy')),
    },
    'the event was lost without a trace': {
      from: 'lost-event',
      change: silentLog,
      reason: 'unknown',
      severity: 'error',
    },
    "kubelet's log was not read": {
      from: 'lost-event',
      change: ({ evidence }) => (evidence.watcherLog = unseen('no access')),
      reason: 'unknown',
    },
    'kubelet logged an overflow': {
      from: 'lost-event',
      change: ({ evidence }) => (evidence.watcherLog = seen([{ text: overflow }])),
      reason: 'queue-overflow',
    },
    'kubelet logged an overflow after the socket was made': {
      from: 'lost-event',
      change: ({ evidence, entry }) =>
        (evidence.watcherLog = seen([{ text: overflow, at: entry.changedAt }])),
      reason: 'queue-overflow',
    },
    'the overflow was before the socket was made': {
      from: 'lost-event',
      change: ({ evidence }) =>
        (evidence.watcherLog = seen([{ text: overflow, at: '2000-01-01T00:00:00Z' }])),
      reason: 'unknown',
    },
    "another of kubelet's watches overflowed": {
      from: 'lost-event',
      change: ({ evidence }) =>
        (evidence.watcherLog = seen([
          { text: 'Received an error from watcher: fsnotify: queue or buffer overflow' },
        ])),
      reason: 'unknown',
    },
    'kubelet logged that its watch did not begin': {
      from: 'lost-event',
      change: ({ evidence }) => {
        evidence.watches = unseen('no access');
        evidence.watcherLog = seen([{ text: startFailure }]);
      },
      reason: 'no-watch',
    },
    'kubelet made the registry itself and could not watch it': {
      from: 'lost-event',
      change: ({ evidence }) => {
        evidence.watches = seen([]);
        evidence.watcherLog = seen([{ text: startFailure }]);
        if (evidence.registry.seen) evidence.registry.value.bornAt = '2999-01-01T00:00:00Z';
      },
      reason: 'no-watch',
    },
    'something is mounted over the registry': { from: 'orphaned-watch', reason: 'orphaned-watch' },
    'the registry is younger than kubelet': {
      from: 'lost-event',
      change: ({ evidence }) => {
        evidence.watches = seen([]);
        if (evidence.registry.seen) evidence.registry.value.bornAt = '2999-01-01T00:00:00Z';
      },
      reason: 'directory-replaced',
    },
    'kubelet has no watch at all': {
      from: 'lost-event',
      change: ({ evidence }) => (evidence.watches = seen([])),
      reason: 'no-watch',
    },
    'no inotify instance is left': { from: 'no-watch', reason: 'watches-exhausted' },
    'the self-test loses events': {
      from: 'lost-event',
      change: ({ evidence }) => (evidence.selfTest = seen({ sent: 24, delivered: 3 })),
      reason: 'events-not-delivered',
    },
    'the self-test loses none': {
      from: 'lost-event',
      change: (parts) => {
        silentLog(parts);
        parts.evidence.selfTest = seen({ sent: 24, delivered: 24 });
      },
      reason: 'unknown',
    },
    'virtio-fs': { from: 'healthy', change: fsType('virtiofs'), reason: 'events-not-delivered' },
    '9p': { from: 'healthy', change: fsType('9p'), reason: 'events-not-delivered' },
    'kubelet saw the socket and failed': {
      from: 'lost-event',
      change: ({ node, entry }) =>
        (node.kubeletPlugins = seen({
          actual: [],
          desired: [hostPath(`/var/lib/kubelet/plugins_registry/${entry.name}`)],
        })),
      reason: 'registration-failed',
    },
    'the plugin is ready, its socket is not there': {
      from: 'lost-event',
      change: ({ evidence }) => (evidence.entries = seen([])),
      reason: 'no-socket',
    },
    'nobody looked': { from: 'lost-event', shallow: noAgentNeeded, reason: 'not-looked' },
    'nobody looked and the plugin is not ready': {
      from: 'lost-event',
      shallow: noAgentNeeded,
      change: (parts) => container(parts, {}),
    },
    'CSINode lists it, kubelet forgot it': { from: 'healthy', change: forget, reason: 'unknown' },
    'a driver that is not ready is the matter of driver-mute': {
      from: 'driver-mute',
      change: unregister,
    },
    'kubelet may not be watched': {
      from: 'lost-event',
      change: ({ evidence }) => (evidence.watches = unseen('may not be read')),
      reason: 'unknown',
    },
    'CSINode may not be read': {
      from: 'lost-event',
      change: ({ node }) => (node.csiNode = unseen('forbidden')),
      blind: true,
    },
    'the registry may not be read: not "no socket"': { from: 'lost-event', change: unread('entries') },
  },
  'forgotten-by-kubelet': {
    'a registered driver': { from: 'healthy', shallow: noAgentNeeded },
    'kubelet forgot a plugin that runs': {
      from: 'healthy',
      shallow: noAgentNeeded,
      change: forget,
      reason: 'plugin-runs',
      severity: 'error',
    },
    'a leftover entry of a plugin that is gone': {
      from: 'healthy',
      shallow: noAgentNeeded,
      change: (parts) => {
        forget(parts);
        parts.snapshot.pluginPods = seen([]);
      },
      reason: 'plugin-gone',
    },
    'the socket answers: registration-lost says more': { from: 'healthy', change: forget },
    'not listed is no matter of this rule': { from: 'lost-event', shallow: noAgentNeeded },
    'kubelet may not be asked': {
      from: 'healthy',
      shallow: noAgentNeeded,
      change: ({ node }) => (node.kubeletPlugins = unseen('no proxy')),
      blind: true,
    },
  },
  'over-committed': {
    'no limit': { from: 'healthy' },
    'as many as it takes': { from: 'healthy', change: limit(1) },
    'one more': { from: 'healthy', change: limit(0), reason: 'past-the-limit', severity: 'warning' },
    'pods that may not be read': {
      from: 'healthy',
      change: (parts) => {
        limit(0)(parts);
        parts.snapshot.volumeUses = unseen('no right to list pods');
      },
      blind: true,
    },
  },
  'plugin-missing': {
    'a plugin that runs': { from: 'healthy' },
    'a taint': { from: 'tainted-node', shallow: noAgentNeeded, reason: 'taint', severity: 'error' },
    'a selector': {
      from: 'tainted-node',
      change: ({ node, daemonSet }) => {
        node.taints = [];
        daemonSet.nodeSelector = { disk: 'fast' };
      },
      reason: 'selector',
    },
    'no obstacle and no pod': {
      from: 'tainted-node',
      change: ({ node }) => (node.taints = []),
      reason: 'absent',
    },
    'no DaemonSet': {
      from: 'tainted-node',
      change: ({ snapshot }) => (snapshot.daemonSets = seen([])),
      reason: 'no-daemonset',
    },
    'a crash': { from: 'crashed-plugin', reason: 'crash' },
    'many restarts': {
      from: 'healthy',
      change: (parts) => container(parts, { state: 'Error', restarts: 3 }),
      reason: 'crash',
    },
    'an image that cannot be had': {
      from: 'healthy',
      change: (parts) => container(parts, { state: 'ImagePullBackOff' }),
      reason: 'image',
    },
    'a container that is not ready': {
      from: 'healthy',
      change: (parts) => container(parts, { state: 'running' }),
      reason: 'not-ready',
    },
    'a pod that has not started': {
      from: 'healthy',
      change: ({ pod }) => (pod.phase = 'Pending'),
      reason: 'not-ready',
    },
    'a pod that ends': { from: 'healthy', change: ({ pod }) => (pod.deleting = true), reason: 'ending' },
    'nobody needs it here': {
      from: 'tainted-node',
      change: ({ snapshot, node }) => {
        snapshot.volumeUses = seen([]);
        node.csiNode = seen([]);
      },
      reason: 'taint',
      severity: 'notice',
    },
    'the pods may not be read': {
      from: 'tainted-node',
      change: ({ snapshot }) => (snapshot.pluginPods = unseen('forbidden')),
      blind: true,
    },
  },
  'wrong-root': {
    'the right root': { from: 'healthy' },
    'a trailing slash is the same folder': {
      from: 'healthy',
      change: ({ pod }) => (pod.registryPath = hostPath('/var/lib/kubelet/plugins_registry/')),
    },
    "another registry, by kubelet's command line": {
      from: 'wrong-root',
      reason: 'registry-elsewhere',
      severity: 'error',
    },
    "another registry, by kubelet's metrics": {
      from: 'wrong-root',
      shallow: noAgentNeeded,
      change: ({ node }) => (node.kubeletPlugins = seen({ actual: [socketPath], desired: [] })),
      reason: 'registry-elsewhere',
    },
    'another endpoint': {
      from: 'healthy',
      change: ({ pod }) => (pod.registrationPath = hostPath('/var/lib/other/plugins/x/csi.sock')),
      reason: 'endpoint-elsewhere',
    },
    'the root is unknown': {
      from: 'wrong-root',
      shallow: noAgentNeeded,
      change: ({ node }) => (node.kubeletPlugins = unseen('no proxy')),
    },
  },
  'stale-socket': {
    'a socket that answers': { from: 'healthy' },
    'nobody listens, kubelet does not hold it': {
      from: 'stale-socket',
      reason: 'left-behind',
      severity: 'warning',
    },
    'nobody listens, kubelet holds it': {
      from: 'stale-socket',
      change: ({ node, entry }) =>
        (node.kubeletPlugins = seen({
          actual: [hostPath(`/var/lib/kubelet/plugins_registry/${entry.name}`)],
          desired: [],
        })),
      reason: 'held',
    },
    'nobody listens, and whether kubelet holds it is unknown': {
      from: 'stale-socket',
      change: ({ node }) => (node.kubeletPlugins = unseen('no proxy')),
      reason: 'held',
    },
    'it was retired already': {
      from: 'stale-socket',
      change: ({ entry }) => (entry.name = `.${entry.name}`),
    },
    'the registry may not be read': { from: 'stale-socket', change: unread('entries'), blind: true },
  },
  'driver-mute': {
    'a driver that answers': { from: 'healthy' },
    'a driver that does not answer': { from: 'driver-mute', reason: 'no-answer', severity: 'error' },
    'a driver that is not ready': {
      from: 'healthy',
      change: ({ socket }) => {
        if (socket.driver.seen) socket.driver.value.ready = false;
      },
      reason: 'not-ready',
    },
    'no pod of it is known': {
      from: 'driver-mute',
      change: ({ snapshot }) => (snapshot.pluginPods = seen([])),
      reason: 'no-answer',
    },
  },
  'csi-socket-in-registry': {
    'registration sockets only': { from: 'healthy' },
    'a CSI socket': { from: 'csi-socket-in-registry', reason: 'speaks-csi', severity: 'error' },
    'the registry may not be read': {
      from: 'csi-socket-in-registry',
      change: unread('entries'),
      blind: true,
    },
  },
  'csi-v0': {
    'version 1': { from: 'healthy' },
    'version 0 only': {
      from: 'healthy',
      change: ({ socket }) => {
        if (socket.registration.seen) socket.registration.value.versions = ['0.3.0', 'v0.2.0'];
      },
      reason: 'v0-only',
      severity: 'error',
    },
    'version 10 is no version 1': {
      from: 'healthy',
      change: ({ socket }) => {
        if (socket.registration.seen) socket.registration.value.versions = ['10.0'];
      },
      reason: 'v0-only',
    },
    'both versions': {
      from: 'healthy',
      change: ({ socket }) => {
        if (socket.registration.seen) socket.registration.value.versions = ['v0.3.0', 'v1'];
      },
    },
  },
  'socket-convention': {
    'a symbolic link to the socket': {
      from: 'healthy',
      change: (parts) => link(parts, 'alias-reg.sock'),
      reason: 'link',
      severity: 'error',
    },
    'a symbolic link that kubelet ignores': {
      from: 'healthy',
      change: (parts) => link(parts, '.alias.sock'),
    },
    'the usual name': { from: 'healthy' },
    'a name of its own': {
      from: 'healthy',
      change: ({ entry }) => (entry.name = 'odd.sock'),
      reason: 'name',
      severity: 'notice',
    },
    'a prefix, as some registrars write it': {
      from: 'healthy',
      change: ({ entry }) => (entry.name = `pod-7-${entry.name}`),
    },
    'a dot-name that is served': {
      from: 'healthy',
      change: ({ entry }) => (entry.name = `.${entry.name}`),
      reason: 'dot-name',
      severity: 'error',
    },
    'a dot-name that nobody serves': {
      from: 'stale-socket',
      change: ({ entry }) => (entry.name = `.${entry.name}`),
    },
    'an endpoint elsewhere': {
      from: 'healthy',
      change: ({ socket }) => {
        if (socket.registration.seen) socket.registration.value.endpoint = hostPath('/run/csi.sock');
      },
      reason: 'endpoint',
      severity: 'warning',
    },
    'no endpoint means the socket itself': {
      from: 'healthy',
      change: ({ socket }) => {
        if (socket.registration.seen) socket.registration.value.endpoint = hostPath('');
      },
    },
    'a path of 107 bytes': { from: 'healthy', change: (parts) => lengthen(parts, 107) },
    'a path of 108 bytes': {
      from: 'healthy',
      change: (parts) => lengthen(parts, 108),
      reason: 'too-long',
      severity: 'error',
    },
    'the registry may not be read': { from: 'healthy', change: unread('entries'), blind: true },
  },
  'old-registrar': {
    'an image without a version': { from: 'healthy', shallow: noAgentNeeded },
    'version 1': {
      from: 'healthy',
      shallow: noAgentNeeded,
      change: (parts) => registrarImage(parts, 'quay.io/k8scsi/csi-node-driver-registrar:v1.3.0'),
      reason: 'old-version',
      severity: 'warning',
    },
    'version 2': {
      from: 'healthy',
      shallow: noAgentNeeded,
      change: (parts) =>
        registrarImage(parts, 'registry.k8s.io/sig-storage/csi-node-driver-registrar:v2.15.0'),
    },
    'a registry with a port': {
      from: 'healthy',
      shallow: noAgentNeeded,
      change: (parts) => registrarImage(parts, 'registrar.example:5000/csi-node-driver-registrar:v2.1.0'),
    },
    'the probe that proves nothing': {
      from: 'healthy',
      shallow: noAgentNeeded,
      change: ({ pod }) => {
        if (pod.registrar) pod.registrar.args = ['--mode=kubelet-registration-probe'];
      },
      reason: 'probe-mode',
      severity: 'notice',
    },
  },
  'duplicate-driver': {
    'one plugin': { from: 'healthy' },
    'two DaemonSets, the registrar of one of them just refused by kubelet': {
      from: 'duplicate-name',
      reason: 'same-name',
      severity: 'error',
    },
    'two sockets that answer, whoever serves them': {
      from: 'healthy',
      change: ({ evidence, entry }) =>
        (evidence.entries = seen([entry, { ...structuredClone(entry), name: 'second-reg.sock' }])),
      reason: 'same-name',
    },
    'a DaemonSet that is being rolled, old pod and new': {
      from: 'healthy',
      change: ({ snapshot, pod }) =>
        (snapshot.pluginPods = seen([pod, { ...structuredClone(pod), key: { ...pod.key, name: 'new' } }])),
    },
    'a release that is being replaced by another': {
      from: 'duplicate-name',
      change: ({ snapshot }) => {
        const pods = seenValue(snapshot.pluginPods as typeof snapshot.pluginPods);
        snapshot.pluginPods = seen(
          pods.map((pod, index) => ({ ...pod, deleting: index === 0 })),
        ) as typeof snapshot.pluginPods;
      },
    },
  },
  'registrar-mute': {
    'a registrar that answers': { from: 'healthy' },
    'it hangs while kubelet holds the driver': {
      from: 'healthy',
      change: hang,
      reason: 'no-answer',
      severity: 'warning',
    },
    'it hung before kubelet knew the driver': {
      from: 'healthy',
      change: (parts) => {
        unregister(parts);
        hang(parts);
      },
      reason: 'no-answer',
      severity: 'error',
    },
    'CSINode lists the driver, kubelet does not hold it': {
      from: 'healthy',
      change: (parts) => {
        forget(parts);
        hang(parts);
      },
      reason: 'no-answer',
      severity: 'error',
    },
    'its queue is full': {
      from: 'healthy',
      change: (parts) => {
        hang(parts);
        parts.socket.connect = { state: 'silent' };
      },
      reason: 'no-answer',
    },
    'a name that kubelet ignores': {
      from: 'healthy',
      change: (parts) => {
        hang(parts);
        parts.entry.name = `.${parts.entry.name}`;
      },
    },
    'nobody listens': { from: 'stale-socket' },
    'it speaks CSI instead': { from: 'csi-socket-in-registry' },
    'the socket was not asked': {
      from: 'healthy',
      change: ({ socket }) =>
        Object.assign(socket, { asked: false, registration: unseen('exec is forbidden') }),
      blind: true,
    },
    'the socket could not be connected to': {
      from: 'healthy',
      change: (parts) => {
        parts.socket.asked = false;
        parts.socket.registration = unseen('the socket was not asked');
        parts.socket.connect = { state: 'failed', errno: 'EACCES' };
      },
      blind: true,
    },
    'the registry could not be listed': { from: 'healthy', change: unread('entries'), blind: true },
  },
  'lossy-file-system': {
    ext4: { from: 'healthy' },
    'virtio-fs': { from: 'healthy', change: fsType('virtiofs'), reason: 'loses-events', severity: 'warning' },
    'the registry is not there': { from: 'healthy', change: unread('registry'), blind: true },
  },
  'private-root': {
    'a shared root': { from: 'healthy' },
    'a private root': { from: 'private-root', reason: 'private', severity: 'error' },
    'a slave is not shared': {
      from: 'healthy',
      change: ({ evidence }) => {
        if (evidence.root.seen) evidence.root.value.mount.propagation = 'slave';
      },
      reason: 'private',
    },
    'the root was not found': { from: 'healthy', change: unread('root'), blind: true },
  },
};

function link({ evidence, entry }: Parts, name: string): void {
  const { socket: _, ...rest } = entry;
  evidence.entries = seen([entry, { ...rest, kind: 'link', name }]);
}

/** What is seen of a registrar that is stopped: the kernel accepts for it. */
function hang({ socket }: Parts): void {
  socket.registration = unseen('Registration/GetInfo: DeadlineExceeded: the operation timed out');
  socket.driver = socket.registration;
}

function lengthen({ entry, evidence, socket }: Parts, bytes: number): void {
  const folder = evidence.registry.seen ? evidence.registry.value.path : '';
  const ending = '-reg.sock';
  const driver = 'ü'.repeat(2) + 'x'.repeat(bytes - folder.length - 1 - ending.length - 4);
  entry.name = `${driver}${ending}`;
  if (socket.registration.seen) Object.assign(socket.registration.value, { name: driver });
}

function registrarImage({ pod }: Parts, image: string): void {
  if (pod.registrar) pod.registrar.image = image;
}

describe('rules', () => {
  for (const [rule, cases] of Object.entries(table))
    describe(rule, () => {
      for (const [what, { from, change, shallow, reason, severity, blind }] of Object.entries(cases))
        it(`${what}: ${reason ?? (blind ? '<unknown>' : 'nothing')}`, () => {
          const whole = changed(captured(from), (parts) => void change?.(parts));
          const capture = shallow ? withoutAgents(whole) : whole;
          const findings = diagnosisOf(capture).findings.filter((finding) => finding.rule === rule);
          assert.deepEqual(
            [...new Set(findings.map((finding) => finding.reason))],
            reason === undefined ? [] : [reason],
            found(capture).join(', '),
          );
          if (severity) assert.equal(findings[0]?.severity, severity);
          assert.equal(blindSpotsOf(capture, rule).length > 0, blind === true);
        });
    });

  it('a socket that nobody asked is a blind spot of its own driver, not of the whole node', () => {
    const unasked = changed(captured('healthy'), ({ socket }) =>
      Object.assign(socket, { asked: false, registration: unseen('no exec') }),
    );
    const [spot] = blindSpotsOf(unasked, 'registrar-mute');
    assert.deepEqual([spot?.subject.driver, spot?.why], ['driver-2', 'no exec']);
  });

  it('every reason of every rule of registration is found in some case', () => {
    const covered = Object.entries(table).flatMap(([rule, cases]) =>
      Object.values(cases).flatMap(({ reason }) => (reason ? [`${rule}/${reason}`] : [])),
    );
    const all = rules
      .filter(({ incident }) => incident === 'registration')
      .flatMap(({ id, reasons }) => Object.keys(reasons).map((reason) => `${id}/${reason}`));
    assert.deepEqual([...new Set(covered)].sort(), all.sort());
  });

  it('a rule gives only reasons that it explains, and is named as its file', () => {
    for (const { id, reasons, title } of rules) {
      assert.match(id, /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
      assert.ok(title.length > 0 && Object.values(reasons).every((text) => /[.]$/.test(text)), id);
    }
    assert.equal(new Set(rules.map(({ id }) => id)).size, rules.length);
  });
});

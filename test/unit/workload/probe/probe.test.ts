import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { containerPath, driverName } from '../../../../src/model/ids.ts';
import { seen, unseen } from '../../../../src/model/observed.ts';
import type { CsiContainer, CsiMount } from '../../../../src/model/workload.ts';
import { applied } from '../../../../src/workload/change/edit.ts';
import { containerWord } from '../../../../src/workload/probe/asking.ts';
import {
  architectureOf,
  binaryConfigMap,
  binaryEdits,
  configMapName,
} from '../../../../src/workload/probe/binary.ts';
import { combined, commandOf, probeText } from '../../../../src/workload/probe/combine.ts';
import { binaryCommand, portableCommand, probeCommand } from '../../../../src/workload/probe/command.ts';
import { hardNfs } from '../../../../src/workload/probe/nfs.ts';
import { optedOut } from '../../../../src/workload/probe/opt-out.ts';
import {
  candidateOf,
  isCandidate,
  isPlan,
  probeEdits,
  probeOf,
} from '../../../../src/workload/probe/plan.ts';
import { propagationPlan } from '../../../../src/workload/probe/propagation.ts';
import { deployment, podSpec } from '../fixture.ts';

const all = { shell: true, gnuTimeout: true, sleep: true, stat: true, df: true, fetch: undefined } as const;
const busybox = { ...all, gnuTimeout: false };

describe('the command of a probe', () => {
  it('is one line where the image has GNU timeout', () => {
    assert.deepEqual(probeCommand(['/b', '/a/'], all, 4), [
      'sh',
      '-c',
      'timeout -s KILL 4 stat -f "$@" >/dev/null 2>&1 || { echo "dead or hung: $*"; exit 1; }',
      'mounts',
      '/a',
      '/b',
    ]);
  });
  it('asks an outer mount before one in it, and goes no further when it is dead', () => {
    const command = probeCommand(['/data/inner', '/data', '/data'], all, 4);
    assert.equal(command[0], 'sh');
    assert.deepEqual(command.slice(-3), ['mounts', '/data', '/data/inner']);
    assert.match(String(command[2]), /exit 1/);
  });
  it('has a timer of its own elsewhere, and takes what the image has', () => {
    const script = (tools: object) => String(probeCommand(['/a'], { ...busybox, ...tools }, 4)[2]);
    assert.match(script({}), /^sleep 4 &.*stat -f "\$p" \|\|/s);
    assert.match(script({ stat: false }), /df "\$p" \|\|/);
    assert.match(script({ stat: false, df: false }), /true <"\$p" \|\|/);
    assert.doesNotMatch(script({ sleep: false }), /sleep/);
    assert.match(String(portableCommand(['/a'], 4)[2]), /command -v stat/);
  });
  it('holds nothing that kubelet would expand', () => {
    for (const tools of [all, busybox])
      assert.doesNotMatch(probeCommand(['/a', '/a/b'], tools, 4).join(' '), /\$\(|\$\$/);
    assert.doesNotMatch(portableCommand(['/a'], 4).join(' '), /\$\(|\$\$/);
  });
  it('of the binary encodes paths as the agent reads them', () => {
    assert.deepEqual(binaryCommand(['/my data'], 4), [
      '/.kubectl-csi/agent',
      'probe',
      '--path',
      '/my%20data',
      '--deadline',
      '4000',
    ]);
  });
});

describe('what a container says', () => {
  it('is its tools and mounts', () => {
    const word = containerWord(
      'sh\nstat\nsleep\nwget\nmount 30 20 0:50 / /my\\040data rw,nosuid shared:1 - nfs4 server:/x rw,vers=4,soft\n',
    );
    assert.deepEqual(word, {
      tools: { shell: true, gnuTimeout: false, sleep: true, stat: true, df: false, fetch: 'wget' },
      mounts: [{ path: '/my data', fsType: 'nfs4', superOptions: 'rw,vers=4,soft' }],
    });
  });
  it('is no answer where it does not begin as one', () =>
    assert.equal(containerWord('OCI runtime'), undefined));
});

const mount = (driver: string, mountOptions: string[] = [], more: Partial<CsiMount> = {}): CsiMount => ({
  volume: { name: 'data', kind: 'persistent', driver: seen(driverName(driver)), mountOptions },
  path: containerPath('/data'),
  subPath: false,
  readOnly: false,
  propagation: 'None',
  ...more,
});

describe('a hard NFS mount', () => {
  const nfs = (superOptions: string) => [{ path: '/data', fsType: 'nfs4', superOptions }];
  it('is told by the container', () => {
    assert.match(String(hardNfs(mount('x.csi'), nfs('rw,hard'))), /nfs4, mounted hard/);
    assert.match(String(hardNfs(mount('x.csi'), nfs('rw'))), /mounted hard/);
    assert.equal(hardNfs(mount('nfs.csi.k8s.io'), nfs('rw,soft')), undefined);
    const fuse = [{ path: '/data', fsType: 'fuse', superOptions: 'rw' }];
    assert.equal(hardNfs(mount('nfs.csi.k8s.io'), fuse), undefined);
  });
  it('is suspected by driver and options where nobody could be asked', () => {
    assert.match(String(hardNfs(mount('nfs.csi.k8s.io'), undefined)), /hard unless they say soft/);
    assert.equal(hardNfs(mount('nfs.csi.k8s.io', ['softerr']), undefined), undefined);
    assert.equal(hardNfs(mount('s3.csi'), undefined), undefined);
  });
});

describe('a probe that exists', () => {
  const [app = { name: '' }] = podSpec().containers;
  it('is shown in a few words', () => {
    assert.equal(probeText({ exec: { command: ['cat', '/a b'] } }), "exec cat '/a b'");
    assert.equal(probeText({ httpGet: { port: 'web', path: '/x' } }), 'httpGet :web/x');
    assert.equal(probeText({ tcpSocket: { port: 1 } }), 'tcpSocket :1');
    assert.equal(probeText({ grpc: { port: 1 } }), 'grpc :1');
  });
  it('is asked behind ours, in its place', () => {
    assert.deepEqual(combined(['stat', '-f', "/it's"], ['cat', '$HOME']), [
      'sh',
      '-c',
      `stat -f '/it'\\''s' && exec "$@"`,
      'both',
      'cat',
      '$HOME',
    ]);
  });
  it('by HTTP is a command where the image can ask', () => {
    const probe = { httpGet: { port: 'web', path: '/ok', httpHeaders: [{ name: 'A', value: 'b' }] } };
    assert.equal(commandOf(probe, app, all), undefined);
    assert.deepEqual(commandOf(probe, app, { ...all, fetch: 'wget' })?.slice(-3), [
      '--header',
      'A: b',
      'http://127.0.0.1:8080/ok',
    ]);
    assert.ok(
      commandOf({ httpGet: { port: 1, scheme: 'HTTPS' } }, app, { ...all, fetch: 'curl' })?.includes('-k'),
    );
    assert.equal(commandOf({ httpGet: { port: 'none' } }, app, { ...all, fetch: 'curl' }), undefined);
    assert.equal(commandOf({ tcpSocket: { port: 1 } }, app, { ...all, fetch: 'curl' }), undefined);
  });
});

const csi = (
  name: string,
  role: CsiContainer['role'] = 'app',
  more: Partial<CsiMount> = {},
): CsiContainer => ({
  name,
  role,
  mounts: [mount('s3.csi', [], more)],
});
const timings = { initialDelaySeconds: 15, periodSeconds: 20, timeoutSeconds: 5, failureThreshold: 3 };
const wish = { timings, combine: false };

describe('the plan for a container', () => {
  const beside = csi('beside');
  it('never replaces a probe, and says how to have both', () => {
    const plan = candidateOf(beside, podSpec(), undefined, wish);
    assert.ok(!isCandidate(plan));
    assert.match(`${plan.does} ${plan.why} ${plan.next}`, /^refuse .*httpGet :80\/ add --combine/);
  });
  it('leaves out what ends before the app starts', () => {
    const plan = candidateOf(csi('app', 'init'), podSpec(), undefined, wish);
    assert.ok(!isCandidate(plan) && plan.does === 'nothing');
  });
  it('knows a probe of ours, and what was there before it', () => {
    const path = ['containers', 'name=beside', 'livenessProbe'];
    const record = { version: 1, edits: [{ path, before: null, after: { httpGet: { port: 80 } } }] } as const;
    const candidate = candidateOf(beside, podSpec(), record, wish);
    assert.ok(isCandidate(candidate));
    assert.equal(candidate.existing, undefined);
  });
  it('makes the probe with the timings', () => {
    const candidate = candidateOf(csi('app'), podSpec(), undefined, wish);
    assert.ok(isCandidate(candidate));
    assert.deepEqual(probeOf(candidate, ['x'], all, wish), {
      exec: { command: ['x'] },
      ...timings,
      successThreshold: 1,
    });
  });
  it('combines, with their timings and the time of both; or says that it cannot', () => {
    const candidate = candidateOf(beside, podSpec(), undefined, { ...wish, combine: true });
    assert.ok(isCandidate(candidate));
    const probe = probeOf(candidate, ['x'], { ...all, fetch: 'curl' }, wish);
    assert.ok(!isPlan(probe));
    assert.equal(probe.timeoutSeconds, 6);
    assert.equal(probe.httpGet, undefined);
    const edits = probeEdits(candidate, probe);
    assert.deepEqual(edits.map(({ path }) => path.at(-1)).sort(), ['exec', 'httpGet', 'timeoutSeconds']);
    const record = { version: 1, edits } as const;
    const again = candidateOf(beside, applied(podSpec(), edits), record, wish);
    assert.ok(!isCandidate(again) && again.why?.includes('httpGet :80/'), 'what was there is known');
    for (const tools of [all, undefined]) {
      const plan = probeOf(candidate, ['x'], tools, wish);
      assert.ok(isPlan(plan) && plan.does === 'refuse');
    }
  });
  it('says of which driver it does not know', () => {
    const unknown = { volume: { ...mount('x').volume, driver: unseen('claim a/b does not exist') } };
    const plan = candidateOf(csi('app', 'init', unknown), podSpec(), undefined, wish);
    assert.ok(!isCandidate(plan));
    assert.deepEqual(plan.drivers, ['<unknown> (claim a/b does not exist)']);
  });
});

describe('a workload that opted out', () => {
  it('is left alone, and says how that ends', () => {
    const out = (value: string) =>
      optedOut(deployment({ annotations: { 'kubectl-csi/inject-probe': value } }));
    assert.match(
      String(out('false')),
      /kubectl annotate deployment\/web -n shop kubectl-csi\/inject-probe- ends/,
    );
    assert.equal(out('true'), undefined);
    assert.equal(optedOut(deployment()), undefined);
  });
});

describe('propagation', () => {
  it('is for mounts that have none', () => {
    const { plan, edits } = propagationPlan(csi('app'));
    assert.equal(plan.does, 'propagate');
    assert.deepEqual(edits, [
      {
        path: ['containers', 'name=app', 'volumeMounts', 'mountPath=/data', 'mountPropagation'],
        before: null,
        after: 'HostToContainer',
      },
    ]);
    assert.equal(propagationPlan(csi('app', 'app', { propagation: 'Bidirectional' })).plan.does, 'nothing');
    assert.equal(propagationPlan(csi('app', 'init')).plan.does, 'nothing');
  });
  it('does not reach a subPath, and says so', () => {
    const { plan, edits } = propagationPlan(csi('app', 'app', { subPath: true }));
    assert.deepEqual([plan.does, edits.length], ['refuse', 0]);
  });
});

describe('the binary', () => {
  const arch = 'kubernetes.io/arch';
  const term = (...values: string[]) => ({ matchExpressions: [{ key: arch, operator: 'In', values }] });
  const affinity = (...terms: object[]) => ({
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
    },
  });
  const of = (more: object, ...nodes: string[]) => architectureOf({ containers: [], ...more }, nodes);
  it('is of the one architecture that the pods can be on', () => {
    assert.equal(of({}, 'amd64', 'amd64'), 'amd64');
    assert.equal(of({}, 'amd64', 'arm64'), undefined);
    assert.equal(of({ nodeSelector: { [arch]: 'arm64' } }, 'amd64', 'arm64'), 'arm64');
    assert.equal(of(affinity(term('arm64')), 'amd64', 'arm64'), 'arm64');
    assert.equal(of(affinity(term('arm64'), term('amd64')), 'amd64', 'arm64'), undefined);
    assert.equal(of(affinity(term('arm64', 'amd64')), 'amd64', 'arm64'), undefined);
    assert.equal(of(affinity({}), 'amd64', 'arm64'), undefined);
  });
  it('comes with a volume and a mount, and goes with the workload', () => {
    const workload = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u' };
    const name = configMapName(workload, 'abcdef0123');
    assert.equal(name, 'kubectl-csi-probe-deployment-web-abcdef01');
    const candidate = candidateOf(csi('app'), podSpec(), undefined, wish);
    assert.ok(isCandidate(candidate));
    assert.deepEqual(
      binaryEdits(name, [candidate]).map(({ path }) => path.join('.')),
      ['volumes.name=kubectl-csi-probe', 'containers.name=app.volumeMounts.mountPath=/.kubectl-csi'],
    );
    const { metadata, immutable } = binaryConfigMap(name, workload, '');
    assert.equal(immutable, true);
    assert.deepEqual(metadata.ownerReferences, [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u' },
    ]);
    assert.ok(configMapName({ ...workload, name: 'x'.repeat(253) }, 'abcdef0123').length <= 253);
  });
});

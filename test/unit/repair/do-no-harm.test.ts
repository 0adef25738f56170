import assert from 'node:assert/strict';
import { rules } from '../../../src/diagnose/rules/index.gen.ts';
import type { Capture } from '../../../src/files/capture.ts';
import { driverName, hostPath } from '../../../src/model/ids.ts';
import { seen } from '../../../src/model/observed.ts';
import type { Risk } from '../../../src/model/plan.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { repairs } from '../../../src/repair/repairs/index.gen.ts';
import { captured, changed, diagnosisOf, nodeOf, seenValue, viewOf } from '../support/captures.ts';
import { broken, FakeNode, FakeWorld, runIn, well } from '../support/fake-world.ts';

const registration = new Set(rules.filter(({ incident }) => incident === 'registration').map(({ id }) => id));
const own = repairs.filter(({ cures }) => cures.some(({ rule }) => registration.has(rule)));
const planFor = (capture: Capture, maxRisk: Risk = 'disruptive', force = false) =>
  makePlan(diagnosisOf(capture).findings, viewOf(capture), own, { maxRisk, force });

/** Plans and heals one node; `afterwards` is what is seen once the agent did `command`. */
async function heal(capture: Capture, command: string, afterwards: Capture, now: Capture = capture) {
  const node = new FakeNode('node-1', now);
  node.answer = ([word]) => {
    if (word === command) node.capture = afterwards;
    return word === 'retire' ? [{ kind: 'renamed', from: 'a', to: '.a' } as never] : undefined;
  };
  const world = new FakeWorld({ 'node-1': node });
  const told = await runIn(world, planFor(capture).steps, own);
  const done = node.log.filter((line) => !line.startsWith('journal'));
  return { ...told, done, node };
}

const kubelet = ({ evidence }: Capture) => seenValue(seenValue(evidence[0]?.[1]).kubelet);
const { pid, startTicks } = kubelet(broken);
const where = `--at ${pid} --start-ticks ${startTicks} --root /var/lib/kubelet`;

describe('do no harm', () => {
  it('a healthy node: nothing is planned, nothing is done', () => {
    assert.deepEqual(planFor(well), { version: 1, maxRisk: 'disruptive', steps: [], refusals: [] });
  });

  it('only drivers that are missing are announced: one that came back by itself is left alone', async () => {
    const { outcome, done } = await heal(broken, 'announce', well, well);
    assert.deepEqual(
      outcome.steps.map(({ result }) => result),
      ['gone'],
    );
    assert.deepEqual(done, []);
  });

  it('a second run does nothing', async () => {
    const first = await heal(broken, 'announce', well);
    assert.deepEqual(
      first.outcome.steps.map(({ result }) => result),
      ['repaired'],
    );
    assert.deepEqual(planFor(first.node.capture).steps, []);
  });

  it('a socket is announced by a rename, in the registry of the very kubelet that was seen', async () => {
    const { done } = await heal(broken, 'announce', well);
    assert.deepEqual(done, [`announce ${where} --name driver-2-reg.sock`]);
  });

  it('a socket that kubelet holds is never renamed away, though nobody listens on it', () => {
    const held = changed(captured('stale-socket'), ({ node, entry }) => {
      const path = hostPath(`/var/lib/kubelet/plugins_registry/${entry.name}`);
      node.kubeletPlugins = seen({ actual: [path], desired: [path] });
    });
    assert.ok(diagnosisOf(held).findings.some(({ reason }) => reason === 'held'));
    const planned = planFor(held, 'destructive', true).steps.flatMap(({ rungs }) => rungs);
    assert.deepEqual(
      planned.map(({ repair }) => repair).filter((id) => id === 'retire-socket'),
      [],
    );
  });

  it('a stale socket is renamed, not removed, and only while it is still stale', async () => {
    const stale = captured('stale-socket');
    const retired = changed(stale, ({ entry }) => (entry.name = `.${entry.name}`));
    const { done } = await heal(stale, 'retire', retired);
    assert.equal(done.length, 1);
    assert.match(done[0] ?? '', /^retire --at \d+ --start-ticks \d+ --root \/var\/lib\/kubelet --name [^.]/);
    const revived = changed(stale, ({ entry, socket }) => {
      socket.connect = { state: 'accepted' };
      entry.name = `${entry.name}`;
    });
    assert.deepEqual((await heal(stale, 'retire', retired, revived)).done, []);
  });

  it('all stale sockets of one driver are renamed, except one that kubelet holds', async () => {
    const three = changed(captured('stale-socket'), ({ evidence, entry, node }) => {
      const others = ['0-', '1-'].map((zone) => ({
        ...structuredClone(entry),
        name: `${zone}/${entry.name}`,
      }));
      evidence.entries = seen([entry, ...others]);
      const held = hostPath(`/var/lib/kubelet/plugins_registry/${others[1]?.name}`);
      node.kubeletPlugins = seen({ actual: [held], desired: [held] });
    });
    const after = new Set<string>();
    const node = new FakeNode('node-1', three);
    node.answer = (args) => {
      if (args[0] !== 'retire') return undefined;
      after.add(args.at(-1) ?? '');
      node.capture = changed(three, ({ evidence }) => {
        const entries = seenValue(evidence.entries as typeof evidence.entries);
        evidence.entries = seen(
          entries.map((each) => (after.has(each.name) ? { ...each, name: `.${each.name}` } : each)),
        ) as typeof evidence.entries;
      });
      return [{ kind: 'renamed', from: 'a', to: '.a' } as never];
    };
    const { outcome } = await runIn(new FakeWorld({ 'node-1': node }), planFor(three).steps, own);
    assert.deepEqual([...after], ['driver-2-reg.sock', '0-/driver-2-reg.sock']);
    assert.deepEqual(
      outcome.steps.map(({ result }) => result),
      ['repaired'],
    );
  });

  it('the gentlest repair that can work comes first, and ends no process', () => {
    for (const incident of ['lost-event', 'orphaned-watch'])
      for (const { rungs } of planFor(captured(incident)).steps) {
        assert.equal(rungs[0]?.risk, 'safe', incident);
        assert.equal(rungs[0]?.barred, undefined, incident);
      }
  });

  it('no process ends without --max-risk disruptive', () => {
    for (const incident of ['lost-event', 'orphaned-watch', 'no-watch', 'duplicate-name', 'driver-mute']) {
      const open = planFor(captured(incident), 'safe').steps.flatMap(({ rungs }) =>
        rungs.filter(({ barred }) => barred === undefined),
      );
      assert.deepEqual(
        open.filter(({ risk }) => risk !== 'safe'),
        [],
        incident,
      );
    }
  });

  it('a registrar that hangs is restarted, if a disruptive repair is allowed', () => {
    const mute = changed(well, ({ socket }) => {
      socket.registration = { seen: false, why: 'Registration/GetInfo: DeadlineExceeded' };
    });
    const rungs = (maxRisk: Risk) =>
      planFor(mute, maxRisk).steps.flatMap((step) => step.rungs.map(({ repair }) => repair));
    assert.deepEqual(rungs('disruptive'), ['restart-registrar']);
    assert.deepEqual(rungs('safe'), []);
  });

  it('a registrar that shares its container with the driver is not restarted: volumes would die with it', () => {
    const shared = changed(broken, ({ pod }) => (pod.otherContainers = []));
    const rung = planFor(shared).steps[0]?.rungs.find(({ repair }) => repair === 'restart-registrar');
    assert.match(rung?.barred ?? '', /share one container/);
  });

  it('a kubelet that carries a control plane along is not restarted without --force', () => {
    const embedded = changed(broken, ({ evidence }) => {
      if (evidence.kubelet.seen) evidence.kubelet.value.command = 'k3s-server';
    });
    const barred = (force: boolean) =>
      planFor(embedded, 'disruptive', force).steps[0]?.rungs.find(
        ({ repair }) => repair === 'restart-kubelet',
      )?.barred;
    assert.match(barred(false) ?? '', /part of k3s here.*--force does it/);
    assert.equal(barred(true), undefined);
  });

  it('a restart that would lose a healthy neighbour, whose socket a mount hides, is not done without --force', () => {
    const hidden = changed(broken, ({ node }) => {
      const neighbour = '/var/lib/kubelet/plugins_registry/neighbour.csi-reg.sock';
      node.kubeletPlugins = { seen: true, value: { actual: [hostPath(neighbour)], desired: [] } };
      node.csiNode = { seen: true, value: [{ driver: driverName('neighbour.csi'), nodeId: 'n' }] };
    });
    const barred = (force: boolean) =>
      planFor(hidden, 'disruptive', force).steps[0]?.rungs.find(({ repair }) => repair === 'restart-kubelet')
        ?.barred;
    assert.match(barred(false) ?? '', /would lose neighbour\.csi/);
    assert.equal(barred(true), undefined);
  });

  it('a kubelet that nothing starts again is not restarted, --force or not', () => {
    const alone = changed(broken, ({ evidence }) => {
      if (evidence.kubelet.seen) evidence.kubelet.value.parent.command = 'bash';
    });
    const rung = planFor(alone, 'destructive', true).steps[0]?.rungs.find(
      ({ repair }) => repair === 'restart-kubelet',
    );
    assert.match(rung?.barred ?? '', /nothing is known to start kubelet again/);
  });

  it('nothing is touched where kubelet or its root could not be seen', () => {
    const dark = changed(broken, ({ evidence }) => (evidence.kubelet = { seen: false, why: 'two kubelets' }));
    const { steps } = planFor(dark);
    assert.deepEqual(steps, []);
    for (const repair of own)
      assert.notEqual(
        repair.bars({ node: nodeOf(dark).node.name, findings: diagnosisOf(dark).findings }, nodeOf(dark), {
          force: true,
        }),
        undefined,
        repair.id,
      );
  });

  it('every act is journalled before it happens and cleared when it is verified', async () => {
    const { node } = await heal(broken, 'announce', well);
    assert.deepEqual(
      node.log.map((line) => line.split(' ').slice(0, 3).join(' ')),
      [
        'journal announce begun',
        `announce --at ${pid}`,
        'journal announce repaired',
        'journal-clear --run this-run',
      ],
    );
  });
});

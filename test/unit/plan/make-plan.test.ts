import assert from 'node:assert/strict';
import { rules } from '../../../src/diagnose/rules/index.gen.ts';
import type { Capture } from '../../../src/files/capture.ts';
import { nodeName } from '../../../src/model/ids.ts';
import type { Risk } from '../../../src/model/plan.ts';
import { makePlan, planRequested } from '../../../src/plan/make-plan.ts';
import { canCure, type RepairSpec } from '../../../src/plan/repair-spec.ts';
import { repairs } from '../../../src/repair/repairs/index.gen.ts';
import { captured, diagnosisOf, findingOf, viewOf } from '../support/captures.ts';
import { repairOf } from '../support/fake-world.ts';

const broken = captured('lost-event');
const view = viewOf(broken);
const lost = findingOf(broken, 'registration-lost');
const safe = { maxRisk: 'safe', force: false } as const;

const planFor = (capture: Capture, maxRisk: Risk = 'safe') =>
  makePlan(diagnosisOf(capture).findings, viewOf(capture), repairs, { maxRisk, force: false });

/** `repair`, or `repair (why it is barred)`. */
const ladder = (capture: Capture, maxRisk?: Risk) =>
  planFor(capture, maxRisk).steps.map(({ rungs }) =>
    rungs.map(({ repair, barred }) => (barred ? `${repair} (${barred})` : repair)),
  );

describe('the plan for a recorded incident', () => {
  const needs = 'needs --max-risk disruptive';
  const table: Readonly<Record<string, readonly (readonly string[])[]>> = {
    healthy: [],
    'lost-event': [['announce', `restart-registrar (${needs})`, `restart-kubelet (${needs})`]],
    'orphaned-watch': [['announce-hidden', `restart-kubelet (${needs})`]],
    'stale-socket': [['retire-socket']],
    'driver-mute': [],
    'csi-socket-in-registry': [],
    'tainted-node': [],
    'crashed-plugin': [],
    'private-root': [],
    'wrong-root': [],
  };
  for (const [incident, expected] of Object.entries(table))
    it(`${incident}: ${expected.flat().join(', ') || 'nothing can be done'}`, () => {
      assert.deepEqual(
        ladder(captured(incident)).map((rungs) =>
          rungs.filter((rung) => !/^(re|cover|)relocate|restore-registry/.test(rung)),
        ),
        expected,
      );
    });

  it('opens the rungs that --max-risk allows', () => {
    const [rungs = []] = ladder(broken, 'disruptive');
    assert.deepEqual(
      rungs.filter((rung) => rung.includes('--max-risk disruptive')),
      [],
    );
  });

  it('refuses what no repair cures with what the person can do', () => {
    const { refusals, steps } = planFor(captured('tainted-node'));
    assert.deepEqual(steps, []);
    assert.match(refusals[0]?.why ?? '', /^by hand: add a toleration for dedicated=storage:NoSchedule/);
  });
});

describe('planning', () => {
  const plan = (findings: readonly (typeof lost)[], specs: readonly RepairSpec[]) =>
    makePlan(findings, view, specs, safe);

  it('takes findings of one driver on one node as one unit', () => {
    const again = { ...lost, reason: 'orphaned-watch' };
    assert.equal(plan([lost, again], [repairOf('a')]).steps.length, 1);
    assert.equal(plan([lost, again], [repairOf('a')]).steps[0]?.findings.length, 2);
  });

  it('takes drivers apart', () => {
    const other = {
      ...lost,
      subject: {
        node: view.nodes[0]?.node.name ?? nodeName(''),
        socket: lost.subject.socket ?? ('' as never),
      },
    };
    assert.equal(plan([lost, other], [repairOf('a')]).steps.length, 2);
  });

  it('orders a ladder by rank, whatever the order of the repairs', () => {
    const specs = [repairOf('c', { rank: 30 }), repairOf('a', { rank: 1 }), repairOf('b', { rank: 2 })];
    assert.deepEqual(
      plan([lost], specs).steps[0]?.rungs.map(({ repair }) => repair),
      ['a', 'b', 'c'],
    );
  });

  it('leaves out repairs for another reason', () => {
    const other = repairOf('other', { cures: [{ rule: 'registration-lost', reasons: ['no-socket'] }] });
    assert.equal(canCure(other, lost), false);
    assert.deepEqual(plan([lost], [other]).steps, []);
  });

  it("says the repair's own objection before the risk", () => {
    const barred = repairOf('a', { risk: 'disruptive', bars: () => 'not here' });
    const open = repairOf('b', { rank: 2 });
    assert.equal(plan([lost], [barred, open]).steps[0]?.rungs[0]?.barred, 'not here');
  });

  it('refuses a unit whose every rung is barred, with every reason', () => {
    const specs = [
      repairOf('a', { bars: () => 'not here' }),
      repairOf('b', { rank: 2, risk: 'destructive' }),
    ];
    const { steps, refusals } = plan([lost], specs);
    assert.deepEqual(steps, []);
    assert.equal(refusals[0]?.why, 'a: not here; b: needs --max-risk destructive');
  });

  it('does the gentlest units first', () => {
    const stale = {
      ...lost,
      rule: 'stale-socket',
      reason: 'left-behind',
      subject: { ...lost.subject, driver: 'x' as never },
    };
    const rough = repairOf('rough', { risk: 'disruptive' });
    const gentle = repairOf('gentle', { cures: [{ rule: 'stale-socket', reasons: ['left-behind'] }] });
    const { steps } = makePlan([lost, stale], view, [rough, gentle], { maxRisk: 'disruptive', force: false });
    assert.deepEqual(
      steps.map(({ rungs }) => rungs[0]?.repair),
      ['gentle', 'rough'],
    );
  });

  it('leaves notices alone', () => {
    const { steps, refusals } = plan([{ ...lost, severity: 'notice' }], [repairOf('a')]);
    assert.deepEqual([steps, refusals], [[], []]);
  });

  it('does what the user asked for without a finding, or says what bars it', () => {
    const asked = planRequested(repairOf('a', { bars: () => 'not here' }), view.nodes, safe);
    assert.deepEqual(asked.steps[0]?.findings, []);
    assert.equal(asked.steps[0]?.rungs[0]?.barred, 'not here');
  });
});

describe('the catalogue of repairs', () => {
  it('cures only what rules find', () => {
    const known = new Set(
      rules.flatMap(({ id, reasons }) => Object.keys(reasons).map((reason) => `${id}/${reason}`)),
    );
    const cured = repairs.flatMap(({ cures }) =>
      cures.flatMap(({ rule, reasons }) => reasons.map((reason) => `${rule}/${reason}`)),
    );
    assert.deepEqual(
      cured.filter((each) => !known.has(each)),
      [],
    );
  });

  it('goes up the ladder from safe to destructive', () => {
    const order: readonly Risk[] = ['safe', 'disruptive', 'destructive'];
    for (const rule of rules)
      for (const reason of Object.keys(rule.reasons)) {
        const risks = repairs
          .filter(({ cures }) => cures.some((cure) => cure.rule === rule.id && cure.reasons.includes(reason)))
          .sort((a, b) => a.rank - b.rank)
          .map(({ risk }) => order.indexOf(risk));
        assert.deepEqual(risks, risks.toSorted(), `${rule.id}/${reason}`);
      }
  });

  it('has words for a person, and one id each', () => {
    assert.equal(new Set(repairs.map(({ id }) => id)).size, repairs.length);
    for (const { id, title } of repairs) assert.match(title, /^[A-Z].*[^.]$/, id);
  });
});

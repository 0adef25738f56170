import assert from 'node:assert/strict';
import type { Diagnosis } from '../../../src/model/finding.ts';
import { nodeName } from '../../../src/model/ids.ts';
import type { Outcome, Result } from '../../../src/model/outcome.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { outcomeCode } from '../../../src/stages/heal.ts';
import { codeOf } from '../../../src/stages/judge.ts';
import { diagnosisOf } from '../support/captures.ts';
import { broken, planOf, stepOf } from '../support/fake-world.ts';

const step = stepOf('node-1', broken, []);
const outcomeOf = (results: readonly Result[], stopped?: string): Outcome => ({
  run: 'r',
  steps: results.map((result) => ({ step, result, attempts: [], left: [] })),
  ...(stopped && { stopped }),
});
const finding = diagnosisOf(broken).findings[0];
if (!finding) throw new Error('the broken capture has no finding');
const nothing = planOf([]);
const refused: Plan = { ...planOf([step]), refusals: [{ finding, why: 'no' }] };
const blind = {
  findings: [],
  blindSpots: [{ rule: 'x', subject: { node: nodeName('node-1') }, why: 'forbidden' }],
};
const clear = { findings: [], blindSpots: [] };

describe('the exit code of a repair', () => {
  const table: readonly (readonly [string, Outcome, Plan, Diagnosis, number])[] = [
    ['all repaired', outcomeOf(['repaired', 'gone']), nothing, clear, 0],
    ['a blind spot beside it', outcomeOf(['repaired']), nothing, blind, 3],
    ['a refusal in the plan', outcomeOf(['repaired']), refused, blind, 1],
    ['a refusal on the way', outcomeOf(['repaired', 'refused']), nothing, clear, 1],
    ['undone', outcomeOf(['repaired', 'undone', 'refused']), refused, clear, 4],
    ['something is left', outcomeOf(['undone', 'failed']), refused, clear, 5],
    ['interrupted', outcomeOf(['repaired'], 'interrupted'), nothing, clear, 130],
    ['interrupted, and something left', outcomeOf(['failed'], 'interrupted'), nothing, clear, 5],
    ['stopped at --max-failures', outcomeOf(['undone'], '1 nodes failed'), nothing, clear, 4],
  ];
  for (const [what, outcome, plan, diagnosis, code] of table)
    it(`${what}: ${code}`, () => {
      assert.equal(outcomeCode(outcome, plan, diagnosis), code);
    });
});

describe('the exit code of a look', () => {
  it('0: all was seen and is well', () => {
    assert.equal(codeOf(clear), 0);
  });
  it('1: something is wrong, blind spots or not', () => {
    assert.equal(codeOf({ ...blind, findings: [finding] }), 1);
  });
  it('3: something could not be seen', () => {
    assert.equal(codeOf(blind), 3);
  });
  it('0: a notice is nothing wrong', () => {
    assert.equal(codeOf({ ...clear, findings: [{ ...finding, severity: 'notice' }] }), 0);
  });
});

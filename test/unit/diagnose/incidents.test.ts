import assert from 'node:assert/strict';
import { unseen } from '../../../src/model/observed.ts';
import { captured, changed, diagnosisOf, existing, found, withoutAgents } from '../support/captures.ts';

interface Expected {
  /** What is found with a look at the nodes. */
  readonly deep: readonly string[];
  /** What the API server alone tells. */
  readonly shallow: readonly string[];
}

/** Each incident as it was caused on a real cluster. */
const expected: Readonly<Record<string, Expected>> = {
  healthy: { deep: [], shallow: [] },
  'lost-event': { deep: ['registration-lost/queue-overflow'], shallow: ['registration-lost/not-looked'] },
  'orphaned-watch': {
    deep: ['registration-lost/orphaned-watch'],
    shallow: ['registration-lost/not-looked'],
  },
  'replaced-directory': {
    deep: ['registration-lost/directory-replaced'],
    shallow: ['registration-lost/not-looked'],
  },
  'no-watch': { deep: ['registration-lost/watches-exhausted'], shallow: ['registration-lost/not-looked'] },
  'stale-socket': {
    deep: ['forgotten-by-kubelet/plugin-gone', 'plugin-missing/selector', 'stale-socket/left-behind'],
    shallow: ['forgotten-by-kubelet/plugin-gone', 'plugin-missing/selector'],
  },
  'driver-mute': { deep: ['driver-mute/no-answer'], shallow: ['registration-lost/not-looked'] },
  'csi-socket-in-registry': { deep: ['csi-socket-in-registry/speaks-csi'], shallow: [] },
  'wrong-root': { deep: ['wrong-root/registry-elsewhere'], shallow: ['registration-lost/not-looked'] },
  'tainted-node': { deep: ['plugin-missing/taint'], shallow: ['plugin-missing/taint'] },
  'crashed-plugin': {
    deep: ['driver-mute/no-answer', 'plugin-missing/crash'],
    shallow: ['plugin-missing/crash'],
  },
  'private-root': {
    deep: ['plugin-missing/not-ready', 'private-root/private'],
    shallow: ['plugin-missing/not-ready'],
  },
  'duplicate-name': { deep: ['duplicate-driver/same-name', 'stale-socket/left-behind'], shallow: [] },
};

describe('incidents, as they were recorded', () => {
  for (const [incident, { deep, shallow }] of Object.entries(expected)) {
    it(`${incident}: ${deep.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(found(captured(incident)), deep);
    });
    it(`${incident} without a look at the node: ${shallow.join(', ') || 'nothing'}`, () => {
      assert.deepEqual(found(withoutAgents(captured(incident))), shallow);
    });
  }

  it('every finding has a summary, proofs and a cure on one line each, and the worst come first', () => {
    for (const incident of Object.keys(expected)) {
      const { findings } = diagnosisOf(captured(incident));
      for (const { summary, cure, proofs } of findings)
        for (const line of [summary, cure, ...proofs.flatMap(({ what, source }) => [what, source])])
          assert.match(line, /^\S.*\S$/, incident);
      const ranks = findings.map(({ severity }) => ['error', 'warning', 'notice'].indexOf(severity));
      assert.deepEqual(ranks, ranks.toSorted());
    }
  });

  it('a node that nobody could reach is blind for every question about it, and nothing is well', () => {
    const dark = { ...captured('orphaned-watch') };
    const [node] = existing(dark.evidence[0], 'evidence');
    const { findings, blindSpots } = diagnosisOf({ ...dark, evidence: [[node, unseen('no answer')]] });
    assert.deepEqual(
      findings.map(({ rule, reason }) => `${rule}/${reason}`),
      ['registration-lost/not-looked'],
    );
    assert.ok(blindSpots.length >= 5);
    assert.ok(blindSpots.every(({ why, subject }) => why === 'no answer' && subject.node === node));
  });

  it('an API server that says nothing but the nodes leaves everything else blind', () => {
    const capture = changed(captured('healthy'), ({ snapshot, node }) => {
      snapshot.pluginPods = unseen('forbidden');
      snapshot.daemonSets = unseen('forbidden');
      snapshot.volumeUses = unseen('forbidden');
      node.csiNode = unseen('forbidden');
      node.kubeletPlugins = unseen('forbidden');
    });
    const rules = new Set(diagnosisOf(capture).blindSpots.map(({ rule }) => rule));
    for (const rule of ['plugin-missing', 'registration-lost']) assert.ok(rules.has(rule), rule);
  });
});

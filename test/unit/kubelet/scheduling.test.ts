import assert from 'node:assert/strict';
import { obstacleOf, taintText } from '../../../src/kubelet/scheduling.ts';
import { nodeName } from '../../../src/model/ids.ts';
import type {
  NodeSelectorTerm,
  NodeSnapshot,
  PluginDaemonSet,
  Taint,
  Toleration,
} from '../../../src/model/snapshot.ts';
import { captured, changed, existing, seenValue } from '../support/captures.ts';

const { snapshot } = changed(captured('healthy'), ({ node }) => {
  node.name = nodeName('worker');
  node.labels = { zone: 'a', rank: '7' };
});
const worker: NodeSnapshot = existing(snapshot.nodes[0], 'node');
const set: PluginDaemonSet = {
  ...existing(seenValue(snapshot.daemonSets)[0], 'DaemonSet'),
  nodeSelector: {},
  affinity: [],
  tolerations: [],
};

const taint = (key: string, value = '', effect = 'NoSchedule'): Taint => ({ key, value, effect });
const tolerates = (toleration: Partial<Toleration>): Toleration => ({
  key: '',
  operator: 'Equal',
  value: '',
  effect: '',
  ...toleration,
});
const label = (key: string, operator: string, ...values: readonly string[]): NodeSelectorTerm => ({
  labels: [{ key, operator, values }],
  fields: [],
});
const field = (operator: string, ...values: readonly string[]): NodeSelectorTerm => ({
  labels: [],
  fields: [{ key: 'metadata.name', operator, values }],
});

describe('what keeps a DaemonSet off a node', () => {
  const taints: readonly (readonly [string, Taint, readonly Toleration[], boolean])[] = [
    ['a taint', taint('dedicated', 'db'), [], true],
    ['PreferNoSchedule repels nobody', taint('dedicated', 'db', 'PreferNoSchedule'), [], false],
    ['NoExecute repels too', taint('dedicated', 'db', 'NoExecute'), [], true],
    ['the controller tolerates cordons', taint('node.kubernetes.io/unschedulable'), [], false],
    ['the controller tolerates not-ready', taint('node.kubernetes.io/not-ready', '', 'NoExecute'), [], false],
    ['Exists without a key', taint('a', 'b'), [tolerates({ operator: 'Exists' })], false],
    ['Exists with the key', taint('a', 'b'), [tolerates({ key: 'a', operator: 'Exists' })], false],
    ['Exists with another key', taint('a', 'b'), [tolerates({ key: 'c', operator: 'Exists' })], true],
    ['Equal', taint('a', 'b'), [tolerates({ key: 'a', value: 'b' })], false],
    ['Equal with another value', taint('a', 'b'), [tolerates({ key: 'a', value: 'c' })], true],
    [
      'a toleration of another effect',
      taint('a', 'b'),
      [tolerates({ key: 'a', value: 'b', effect: 'NoExecute' })],
      true,
    ],
    [
      'a toleration of this effect',
      taint('a', 'b'),
      [tolerates({ key: 'a', value: 'b', effect: 'NoSchedule' })],
      false,
    ],
  ];
  for (const [what, each, tolerations, repelled] of taints)
    it(`taint: ${what}`, () => {
      const obstacle = obstacleOf({ ...set, tolerations }, { ...worker, taints: [each] });
      assert.deepEqual(obstacle, repelled ? { kind: 'taint', detail: taintText(each) } : undefined);
    });

  const terms: readonly (readonly [string, NodeSelectorTerm, boolean])[] = [
    ['In', label('zone', 'In', 'b', 'a'), true],
    ['In without the label', label('shelf', 'In', 'a'), false],
    ['NotIn', label('zone', 'NotIn', 'a'), false],
    ['NotIn without the label', label('shelf', 'NotIn', 'a'), true],
    ['Exists', label('zone', 'Exists'), true],
    ['Exists without the label', label('shelf', 'Exists'), false],
    ['DoesNotExist', label('zone', 'DoesNotExist'), false],
    ['DoesNotExist without the label', label('shelf', 'DoesNotExist'), true],
    ['Gt', label('rank', 'Gt', '6'), true],
    ['Gt of the same', label('rank', 'Gt', '7'), false],
    ['Lt', label('rank', 'Lt', '8'), true],
    ['Lt without the label', label('shelf', 'Lt', '8'), false],
    ['an operator of the future', label('zone', 'Near', 'a'), false],
    ['the name', field('In', 'worker'), true],
    ['another name', field('In', 'other'), false],
  ];
  for (const [what, term, matches] of terms)
    it(`affinity: ${what}`, () => {
      assert.deepEqual(
        obstacleOf({ ...set, affinity: [term] }, worker),
        matches ? undefined : { kind: 'selector', detail: 'node affinity' },
      );
    });

  it('terms of an affinity are alternatives, what is in a term must all hold', () => {
    const both: NodeSelectorTerm = { ...label('zone', 'Exists'), fields: field('In', 'other').fields };
    assert.notEqual(obstacleOf({ ...set, affinity: [both] }, worker), undefined);
    assert.equal(obstacleOf({ ...set, affinity: [both, label('zone', 'Exists')] }, worker), undefined);
  });

  it('the node selector comes first and names the label', () => {
    const obstacle = obstacleOf({ ...set, nodeSelector: { zone: 'b' } }, { ...worker, taints: [taint('a')] });
    assert.deepEqual(obstacle, { kind: 'selector', detail: 'nodeSelector zone=b' });
  });
});

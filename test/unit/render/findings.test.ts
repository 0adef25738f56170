import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Finding } from '../../../src/model/finding.ts';
import { driverName, nodeName } from '../../../src/model/ids.ts';
import { diagnosisText } from '../../../src/render/findings.ts';

const style = { color: false, width: 100 };

const dead = (pod: string, node = 'node-1'): Finding => ({
  rule: 'mount-dead',
  reason: 'daemon-gone',
  severity: 'error',
  subject: { node: nodeName(node), driver: driverName('s3'), pod: { namespace: 'shop', name: pod } },
  summary: `data of pod shop/${pod} is dead`,
  proofs: [],
  cure: `kubectl csi remount pod/${pod} -n shop`,
  cureTogether: `kubectl csi remount --driver s3 --node ${node}`,
});

const text = (findings: readonly Finding[], wide = false) =>
  diagnosisText({ findings, blindSpots: [] }, style, wide);

describe('findings of one kind', () => {
  const five = ['a', 'b', 'c', 'd', 'e'].map((pod) => dead(pod));

  it('are told together when they are many, with the command that cures all', () => {
    assert.equal(
      text(five),
      [
        'ERROR node-1 [mount-dead: daemon-gone]',
        '  data of pod shop/a is dead',
        '  data of pod shop/b is dead',
        '  data of pod shop/c is dead',
        '  … and 2 more; -o wide tells each',
        '  → kubectl csi remount --driver s3 --node node-1',
      ].join('\n'),
    );
  });

  it('are told one by one when they are few, and by -o wide', () => {
    assert.equal(text(five.slice(0, 3)).match(/ERROR/g)?.length, 3);
    assert.equal(text(five, true).match(/ERROR/g)?.length, 5);
  });

  it('stay apart by node', () => {
    const both = [...five, ...five.map(({ subject }) => dead(subject.pod?.name ?? '', 'node-2'))];
    assert.equal(text(both).match(/and 2 more/g)?.length, 2);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { AgentRecord } from '../../../src/protocol/protocol.gen.ts';
import { mountEvidenceOf } from '../../../src/reach/evidence/mount-evidence.ts';
import { seenValue } from '../support/captures.ts';

const answer = (more: object = {}): readonly AgentRecord[] => [
  {
    kind: 'mountCounts',
    namespaces: 1,
    processes: 9,
    unreadable: 0,
    mounts: 0,
    truncated: false,
    milliseconds: 1,
    ...more,
  },
];

describe("the agent's mounts as evidence", () => {
  it('keeps how many processes could not be looked at', () => {
    assert.equal(seenValue(mountEvidenceOf(answer({ unreadable: 2 }), [])).unreadable, 2);
    assert.equal(seenValue(mountEvidenceOf(answer(), [])).unreadable, 0);
  });

  it('is unseen when it was cut short', () => {
    assert.equal(mountEvidenceOf(answer({ truncated: true }), []).seen, false);
  });
});

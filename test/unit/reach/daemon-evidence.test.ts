import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { AgentRecord, DaemonRecord } from '../../../src/protocol/protocol.gen.ts';
import { daemonEvidenceOf } from '../../../src/reach/evidence/daemon-evidence.ts';

const record = (parts: Partial<DaemonRecord> = {}): DaemonRecord => ({
  kind: 'daemon',
  pid: 42,
  startTicks: '7',
  ppid: 1,
  comm: 'geesefs',
  cgroup: [],
  pidNamespace: '1',
  hostPidNamespace: '1',
  mountNamespace: '2',
  device: null,
  descriptors: 1,
  named: [],
  ...parts,
});
const evidence = (parts: Partial<DaemonRecord>) => {
  const counts: AgentRecord = { kind: 'daemonCounts', processes: 9, unreadable: 3 };
  return daemonEvidenceOf([record(parts), counts]);
};

describe("the agent's daemons as evidence", () => {
  it('keeps how many processes could not be looked into', () => assert.equal(evidence({}).unreadable, 3));

  it('says nothing of what the agent could not tell', () => {
    const [daemon] = evidence({ pidNamespace: null }).daemons;
    assert.deepEqual(daemon, {
      pid: 42,
      startTicks: '7',
      parent: 1,
      command: 'geesefs',
      cgroups: [],
      named: [],
    });
  });

  it('finds the container in the cgroup, and each named device once', () => {
    const id = '0123456789abcdef'.repeat(4);
    const [daemon] = evidence({
      cgroup: [`0::/kubepods.slice/cri-containerd-${id}.scope`],
      device: '0:50',
      named: ['0:50', '0:50'],
      pidNamespace: '2',
    }).daemons;
    assert.equal(daemon?.containerId, id);
    assert.deepEqual([daemon.device, daemon.named, daemon.hostPids], ['0:50', ['0:50'], false]);
  });
});

import assert from 'node:assert/strict';
import type { AgentRecord } from '../../../src/protocol/protocol.gen.ts';
import { endRegistrar } from '../../../src/repair/registrars.ts';
import { captured, changed, existing, seenDriver } from '../support/captures.ts';
import { FakeNode } from '../support/fake-world.ts';

const well = captured('healthy');
const registrar = existing(
  seenDriver(well).pod?.containers.find(({ name }) => name === seenDriver(well).pod?.registrar?.container),
  'registrar',
);

/** What is done on a node whose registrar ends by TERM, or only when it is killed. */
async function ending(capture = well, stopped = false): Promise<readonly string[]> {
  const node = new FakeNode('node-1', capture);
  node.answer = ([command, ...args]) => {
    if (command === 'observe')
      return [
        { kind: 'process', pid: 77, startTicks: '5', cgroup: [`0::/x/${registrar.containerId}`] },
      ] as never;
    const ended = !stopped || args.includes('KILL');
    return [{ kind: 'signalled', pid: 77, ended, waited: 0 }] as readonly AgentRecord[];
  };
  await endRegistrar(seenDriver(capture), node.port);
  return node.log.map((line) => line.replace(/ --wait \d+/, ''));
}

const mute = changed(well, ({ socket }) => {
  socket.registration = { seen: false, why: 'Registration/GetInfo: DeadlineExceeded' };
});
const silent = changed(mute, ({ socket }) => (socket.connect = { state: 'silent' }));
const ofListener = /^end-process --pid (?!77)\d+ --start-ticks \d+ --signal TERM$/;

describe("the end of a registrar's process", () => {
  it('is asked of the listener, whether it answers or not', async () => {
    for (const capture of [well, mute]) {
      const [line, ...others] = await ending(capture);
      assert.match(line ?? '', ofListener);
      assert.deepEqual(others, []);
    }
  });
  it("is asked of the process in the registrar's container, where the listener cannot be seen", async () => {
    const [look, end] = await ending(silent);
    assert.match(look ?? '', /^observe --names csi-node-driver-registrar,/);
    assert.equal(end, 'end-process --pid 77 --start-ticks 5 --signal TERM');
  });
  it('is forced on one that is stopped and takes no TERM', async () => {
    const lines = await ending(mute, true);
    assert.deepEqual(
      lines.map((line) => line.split(' ').at(-1)),
      ['TERM', 'KILL'],
    );
  });
});

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { agentArgs, decodeAnswer } from '../../src/protocol/protocol.gen.ts';
import { startListener } from './actors.ts';
import { describeAgents } from './sandbox.ts';

const NAME = 'echo.sock';

describeAgents('agent tunnel', (agent, sandbox) => {
  const path = () => join(sandbox().registry, NAME);
  const command = () => [agent(), ...agentArgs.tunnel({ at: 1, path: path() })];

  it('passes a megabyte of any bytes both ways, and ends after a half-close', async () => {
    await startListener(sandbox(), NAME);
    const sent = randomBytes(1 << 20);
    const { code, stdout } = await sandbox().run(command(), { input: sent, encoding: 'latin1' });
    assert.equal(code, 0);
    assert.ok(Buffer.from(stdout, 'latin1').equals(sent));
  });

  it('ends when the socket’s side ends', async () => {
    const listener = await startListener(sandbox(), NAME);
    const tunnel = await sandbox().start(command(), null);
    tunnel.child.stdin?.write('once\n');
    await tunnel.line('once');
    await sandbox().run(['kill', '-KILL', String(await listener.pid())]);
    const code = await tunnel.closed;
    assert.equal(code, 0);
  });

  it('ends when nobody reads its output any more', async () => {
    await startListener(sandbox(), NAME);
    const tunnel = await sandbox().start(command(), null);
    tunnel.child.stdout?.destroy();
    tunnel.child.stdin?.write('into the void');
    const code = await tunnel.closed;
    assert.equal(code, 0);
  });

  it('says on standard error why it can’t, and nothing on standard output', async () => {
    const absent = await sandbox().run(command());
    await writeFile(path(), '');
    const file = await sandbox().run(command());
    const codes = [absent, file].map(({ code, stdout, stderr }) => {
      const [record] = decodeAnswer(stderr).records;
      return [code, stdout, record?.kind === 'error' && record.code];
    });
    assert.deepEqual(codes, [
      [1, '', 'not-found'],
      [1, '', 'not-socket'],
    ]);
  });

  it('gives up on a socket that nobody accepts on', async () => {
    await startListener(sandbox(), NAME, 'mute');
    const first = connect(path());
    await once(first, 'connect');
    const { code, stderr } = await sandbox().run(command());
    first.destroy();
    assert.equal(code, 1);
    assert.match(stderr, /"code":"hung"/);
  });
});

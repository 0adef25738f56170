import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { agentArgs } from '../../src/protocol/protocol.gen.ts';
import { startKubelet, startListener } from './actors.ts';
import { binaries } from './binaries.ts';
import { openSandbox, recordOf, runAgent, type Sandbox } from './sandbox.ts';

const NAME = 'driver-reg.sock';

describe('agent killed in the middle of an announcement', function () {
  this.timeout(30_000);
  let sandbox: Sandbox;
  let agent: string;

  before(async function () {
    this.timeout(600_000);
    agent = (await binaries()).sanitized;
  });
  beforeEach(async () => {
    sandbox = await openSandbox();
  });
  afterEach(() => sandbox.close());

  const crash = async (args: readonly string[], point: string) => {
    const { stdout } = await sandbox.run([agent, ...args], { env: { AGENT_CRASH_AT: point } });
    assert.equal(stdout, '');
  };

  it('leaves a lone dot-name, which the next run puts back', async () => {
    const kubelet = await startKubelet(sandbox);
    await startListener(sandbox, NAME);
    const args = agentArgs.announce({ at: 1, root: sandbox.root, name: NAME });
    await crash(args, 'between-renames');
    assert.deepEqual(await readdir(sandbox.registry), [`.${NAME}`]);
    assert.equal(recordOf(await runAgent(sandbox, agent, args), 'announced').action, 'restored');
    await kubelet.line(`register ${NAME}`, 2);
    assert.deepEqual(await readdir(sandbox.registry), [NAME]);
  });

  it('leaves a lone dot-name, which restore puts back', async () => {
    await startListener(sandbox, NAME);
    const where = { at: 1, root: sandbox.root };
    await crash(agentArgs.announce({ ...where, name: NAME }), 'between-renames');
    const restored = await runAgent(sandbox, agent, agentArgs.restore({ ...where, name: `.${NAME}` }));
    assert.equal(recordOf(restored, 'renamed').to, NAME);
  });

  it('leaves a file in the hidden directory, which the next run uses and takes away', async () => {
    const kubelet = await startKubelet(sandbox);
    const { inode, device } = recordOf(await runAgent(sandbox, agent, ['observe']), 'watch');
    await sandbox.run(['mount', '-t', 'tmpfs', 'cover', sandbox.registry]);
    await startListener(sandbox, NAME);
    const args = agentArgs.announceHidden({ at: 1, root: sandbox.root, name: NAME, inode, device });
    await crash(args, 'hidden-file');
    assert.deepEqual(await readdir(sandbox.registry), [NAME]);
    assert.equal((await runAgent(sandbox, agent, args)).code, 0);
    await kubelet.line(`register ${NAME}`, 2);
    assert.deepEqual(await readdir(sandbox.registry), []);
  });
});

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'mocha';
import { defineCommand } from '../../../src/cli/define-command.ts';
import { runCommand, type Streams } from '../../../src/cli/run.ts';

const command = defineCommand({
  id: 'test',
  summary: '',
  description: '',
  options: {},
  examples: [],
  async run({ warn }) {
    warn('left: pod \u001b[2Ja\nleft: pod b');
    throw new Error('the server said \u001b]0;title\u0007');
  },
});

describe('what goes to the terminal besides results', () => {
  it('obeys no control character of a server or a node, and keeps its lines', async () => {
    const stderr = new PassThrough();
    const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr } as unknown as Streams;
    const exit = () => assert.fail('left at once');
    await runCommand(command, {}, { version: '1', env: {}, streams, exit });
    stderr.end();
    assert.equal(
      await text(stderr),
      'left: pod \\x1b[2Ja\nleft: pod b\nerror: the server said \\x1b]0;title\\x07\n',
    );
  });
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'mocha';
import { bundle } from '../../../scripts/bundle.mjs';
import { writeProgram } from '../../../scripts/package/program.mjs';
import { commands } from '../../../src/commands/index.gen.ts';
import { execOrThrow } from '../../cluster/host/exec.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the fallback name csi-doctor', function () {
  this.timeout(60_000);
  let program: string;

  before(async () => {
    const folder = temporaryFolder();
    program = join(folder, 'program.cjs');
    await bundle(join(folder, 'bundle.cjs'));
    writeProgram(join(folder, 'bundle.cjs'), program, 'csi-doctor');
  });

  const start = `const [file, ...args] = process.argv.slice(1);
    process.argv = [process.execPath, file, ...args];
    const { runInThisContext } = require('node:vm');
    runInThisContext(require('node:fs').readFileSync(file, 'latin1'))(require, module, exports, file, __dirname);`;
  const help = (...args: string[]) =>
    execOrThrow([process.execPath, '-e', start, '--', program, ...args, '--help']);

  it('stands in every help text, and the other one in none', async () => {
    assert.match(await help(), /^kubectl csi-doctor COMMAND \[flags\]/);
    for (const { id } of commands) {
      const text = await help(id);
      assert.match(text, new RegExp(`^kubectl csi-doctor ${id}`));
      assert.doesNotMatch(text, /kubectl csi(?!-doctor)\b/);
    }
  });
});

describe('the help of every command', () => {
  for (const { id, examples } of commands)
    it(`${id} has two real examples`, () => {
      const own = examples.filter(([line]) => line.startsWith(`kubectl csi ${id}`));
      assert.ok(examples.length >= 2 && own.length >= 1, JSON.stringify(examples));
    });
});

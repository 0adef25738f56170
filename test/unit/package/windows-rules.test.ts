import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { before, describe, it } from 'mocha';
import { execOrThrow } from '../../cluster/host/exec.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/**
 * The client's paths under the rules of Windows: the code is bundled with node:path/win32 in place of node:path. Here a
 * path such as C:\kube\config is the plain name of a file in the current folder, so that reading it works too.
 */
describe('paths of the client under the rules of Windows', function () {
  this.timeout(60_000);
  let folder: string;

  before(async () => {
    folder = temporaryFolder();
    await build({
      stdin: {
        contents: `
          export { kubeconfigFiles, loadKubeconfig } from './src/cluster/connection/kubeconfig.ts';
          export { completionScript, installCompletion } from './src/files/completion-script.ts';`,
        resolveDir: resolve('.'),
      },
      outfile: join(folder, 'client.cjs'),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      alias: { 'node:path': 'node:path/win32' },
      logLevel: 'error',
    });
    writeFileSync(join(folder, String.raw`C:\kube\config`), kubeconfig);
    writeFileSync(join(folder, String.raw`D:\work\other`), 'current-context: other\n');
    writeFileSync(join(folder, String.raw`C:\bin\kubectl-csi.exe`), '', { mode: 0o755 });
  });

  const evaluate = async (expression: string) => {
    const program = `const client = require('./client.cjs'); Promise.resolve(${expression}).then((value) => console.log(JSON.stringify(value)))`;
    return JSON.parse(await execOrThrow([process.execPath, '-e', program], { cwd: folder }));
  };
  const text = JSON.stringify;

  it('KUBECONFIG is a list with semicolons, and drives keep their colon', async () => {
    const env = { KUBECONFIG: String.raw`C:\kube\config;D:\work\other;D:\none` };
    assert.deepEqual(await evaluate(`client.kubeconfigFiles(undefined, ${text(env)})`), [
      String.raw`C:\kube\config`,
      String.raw`D:\work\other`,
    ]);
  });

  it('the home folder is USERPROFILE', async () => {
    writeFileSync(join(folder, String.raw`C:\Users\ann\.kube\config`), '');
    const env = { USERPROFILE: String.raw`C:\Users\ann` };
    assert.deepEqual(await evaluate(`client.kubeconfigFiles(undefined, ${text(env)})`), [
      String.raw`C:\Users\ann\.kube\config`,
    ]);
  });

  it('files that a kubeconfig names lie beside it, unless they are named in full', async () => {
    const { cluster, user } = await evaluate(`(() => {
      const config = client.loadKubeconfig([${text(String.raw`C:\kube\config`)}]);
      return { cluster: config.clusters.get('c'), user: config.users.get('u') };
    })()`);
    assert.equal(cluster['certificate-authority'], String.raw`C:\kube\pki\ca.crt`);
    assert.equal(user['client-certificate'], String.raw`E:\certs\me.crt`);
    assert.equal(user.exec.command, String.raw`C:\kube\bin\login.exe`);
  });

  it('completion is a .cmd file beside kubectl-csi.exe', async () => {
    const env = { Path: String.raw`C:\windows;C:\bin` };
    const path = await evaluate(`client.installCompletion(${text(env)}, 'win32')`);
    assert.equal(path, String.raw`C:\bin\kubectl_complete-csi.cmd`);
    assert.equal(readFileSync(join(folder, path), 'utf8'), '@kubectl-csi.exe __complete %*\r\n');
  });
});

const kubeconfig = String.raw`
clusters:
  - name: c
    cluster: { server: https://localhost, certificate-authority: 'pki\ca.crt' }
users:
  - name: u
    user: { client-certificate: 'E:\certs\me.crt', exec: { command: '.\bin\login.exe' } }
`;

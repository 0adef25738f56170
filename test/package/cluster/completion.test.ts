import assert from 'node:assert/strict';
import { chmodSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'mocha';
import { ensureDebianPackages } from '../../../scripts/setup/debian.mjs';
import { execOrThrow } from '../../cluster/host/exec.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Scene, sharedScene } from './shared.ts';

describe('completion through kubectl, from the live cluster', function () {
  this.timeout(600_000);
  let scene: Scene;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    scene = await sharedScene();
    await ensureDebianPackages(['bash-completion', 'fish', 'zsh'], () => undefined);
    const bin = temporaryFolder();
    cpSync(join(scene.bin, 'kubectl-csi'), join(bin, 'kubectl-csi'));
    const path = [bin, scene.cluster.bin, '/usr/bin', '/bin'].join(':');
    env = { PATH: path, HOME: temporaryFolder(), KUBECONFIG: scene.cluster.kubeconfig, TERM: 'dumb' };
    await execOrThrow(['kubectl', 'csi', 'completion', '--install'], { env });
  });

  const offered = async (...words: string[]) => {
    const text = await execOrThrow(['kubectl', '__complete', 'csi', ...words], { env, timeoutMs: 120_000 });
    return text.split('\n').filter((line) => line && !line.startsWith(':'));
  };

  it('commands', async () => {
    const commands = await offered('');
    assert.ok(commands.some((line) => line.startsWith('heal\t')));
  });
  it('flags', async () => {
    assert.deepEqual(await offered('heal', '--dry'), [
      '--dry-run\tclient (or bare): print the plan and do nothing; none',
    ]);
  });
  it('nodes', async () => {
    assert.deepEqual(await offered('status', '--node', ''), ['node-1']);
    assert.deepEqual(await offered('status', '--node=n'), ['--node=node-1']);
  });
  it('drivers', async () => {
    assert.deepEqual(await offered('rescan', ''), ['bind.csi.test']);
    assert.deepEqual(await offered('status', '--driver', 'bind'), ['bind.csi.test']);
  });
  it('pods, claims and volumes, of the namespace that is named', async () => {
    assert.deepEqual(await offered('heal', 'p'), ['pod/', 'pv/', 'pvc/']);
    assert.deepEqual(await offered('heal', 'pod/a'), ['pod/app']);
    assert.deepEqual(await offered('heal', '-n', 'default', 'pvc/'), ['pvc/app']);
    assert.deepEqual(await offered('heal', '-n', 'kube-public', 'pvc/'), []);
    assert.deepEqual(await offered('remount', 'pv/'), ['pv/app']);
  });
  it('nothing, and no error on the screen, when no cluster answers', async () => {
    const nowhere = { ...env, KUBECONFIG: '/dev/null' };
    const text = await execOrThrow(['kubectl', '__complete', 'csi', 'status', '--node', ''], {
      env: nowhere,
    });
    assert.equal(text, ':5\n');
  });

  it('in bash', async () => {
    const script = `
      source /usr/share/bash-completion/bash_completion
      source <(kubectl completion bash)
      COMP_WORDS=(kubectl csi status --node n); COMP_CWORD=4
      COMP_LINE='kubectl csi status --node n'; COMP_POINT=\${#COMP_LINE}; COMP_TYPE=9
      __start_kubectl
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    assert.equal((await execOrThrow(['bash', '-c', script], { env, timeoutMs: 120_000 })).trim(), 'node-1');
  });
  it('in fish', async () => {
    const script = 'kubectl completion fish | source; complete --do-complete "kubectl csi status --node n"';
    assert.equal((await execOrThrow(['fish', '-c', script], { env, timeoutMs: 120_000 })).trim(), 'node-1');
  });
  it('in zsh', async () => {
    const file = join(temporaryFolder(), 'complete.zsh');
    writeFileSync(file, zshSession);
    chmodSync(file, 0o755);
    const screen = await execOrThrow(['zsh', '-f', file], { env, timeoutMs: 120_000 });
    assert.match(screen, /kubectl csi status --node node-1/);
  });
});

/** zsh completes only at a prompt: one in a pseudo-terminal, with a Tab typed into it. */
const zshSession = `
zmodload zsh/zpty
zpty -b shell zsh -f -i
typed() { zpty -w shell "$1"; }
typed 'autoload -Uz compinit; compinit -u -D; source <(kubectl completion zsh); compdef _kubectl kubectl; print -r RE"ADY"'
screen=''
while [[ $screen != *READY* ]]; do zpty -r -t shell part && screen+=$part || sleep 0.1; done
zpty -w -n shell $'kubectl csi status --node n\\t'
screen=''
for attempt in {1..300}; do
  zpty -r -t shell part && screen+=$part || sleep 0.1
  [[ $screen == *'--node node-1'* ]] && break
done
print -r -- "$screen"
zpty -d shell
`;

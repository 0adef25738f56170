import { createReadStream, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureGoBinaries } from '../../scripts/setup/go-binaries.mjs';
import { ensureKrew } from '../../scripts/setup/krew.mjs';
import { exec, execOrThrow, type Result } from '../cluster/host/exec.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const log = () => undefined;

/** A person's machine: an empty home, kubectl and Krew. */
export interface Home {
  readonly folder: string;
  /** Where Krew links plugins to. */
  readonly bin: string;
  run(...command: string[]): Promise<Result>;
  runOrThrow(...command: string[]): Promise<string>;
  /** Makes the given manifest the only one of Krew's default index. */
  publish(manifest: string): Promise<void>;
}

export async function emptyHome(): Promise<Home> {
  const folder = temporaryFolder();
  const tools = join(folder, 'tools');
  const index = join(folder, 'index');
  const bin = join(folder, '.krew/bin');
  mkdirSync(tools);
  const [{ kube }, { krew }] = await Promise.all([ensureGoBinaries({ log }), ensureKrew({ log })]);
  symlinkSync(join(kube, 'kubectl'), join(tools, 'kubectl'));
  symlinkSync(krew, join(tools, 'kubectl-krew'));
  const env = {
    HOME: folder,
    PATH: [bin, tools, '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    KREW_DEFAULT_INDEX_URI: pathToFileURL(index).href,
    KREW_NO_UPGRADE_CHECK: '1',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'protocol.file.allow',
    GIT_CONFIG_VALUE_0: 'always',
  };
  const options = { env, timeoutMs: 300_000 };
  const runOrThrow = (...command: string[]) => execOrThrow(command, options);
  return {
    folder,
    bin,
    run: (...command) => exec(command, options),
    runOrThrow,
    async publish(manifest) {
      const name = /^ {2}name: (\S+)$/m.exec(manifest)?.[1] ?? '';
      mkdirSync(join(index, 'plugins'), { recursive: true });
      writeFileSync(join(index, 'plugins', `${name}.yaml`), manifest);
      const git = (...args: string[]) =>
        runOrThrow('git', '-C', index, '-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args);
      await git('init', '-q');
      await git('add', '-A');
      await git('commit', '-q', '--allow-empty', '-m', 'Publish');
    },
  };
}

/** Serves the archives of a folder on loopback, as a release page would. */
export async function serveArchives(folder: string): Promise<{ address: string; close(): void }> {
  const server = createServer((request, response) => {
    createReadStream(join(folder, basename(request.url ?? '')))
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, close: () => server.close() };
}

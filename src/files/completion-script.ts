import { access, chmod, constants, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { UsageError } from '../cli/usage-error.ts';
import { pluginName } from '../version.ts';

/** kubectl looks for a plugin's files with `_` for each `-` of its name. */
const name = pluginName.replaceAll('-', '_');

export interface CompletionScript {
  /** The file that kubectl runs for `kubectl csi <TAB>` (kubectl 1.26 and later). */
  readonly file: string;
  readonly text: string;
}

export const completionScript = (platform: string = process.platform): CompletionScript =>
  platform === 'win32'
    ? { file: `kubectl_complete-${name}.cmd`, text: `@kubectl-${name}.exe __complete %*\r\n` }
    : { file: `kubectl_complete-${name}`, text: `#!/bin/sh\nexec kubectl-${name} __complete "$@"\n` };

/**
 * Writes the script beside the plugin.
 * @returns its path
 * @throws UsageError when the plugin is in no folder of PATH
 */
export async function installCompletion(env: NodeJS.ProcessEnv, platform: string = process.platform) {
  const folder = await folderOnPath(env, `kubectl-${name}${platform === 'win32' ? '.exe' : ''}`);
  const { file, text } = completionScript(platform);
  if (folder === undefined)
    throw new UsageError(
      `kubectl-${name} is in no folder of PATH, so kubectl would not find ${file} beside it either`,
      `Install the plugin first, or write the script where you want it: kubectl csi completion > FOLDER/${file}`,
    );
  const path = join(folder, file);
  await writeFile(path, text);
  if (platform !== 'win32') await chmod(path, 0o755);
  return path;
}

async function folderOnPath(env: NodeJS.ProcessEnv, program: string): Promise<string | undefined> {
  for (const folder of (env.PATH ?? env.Path ?? '').split(delimiter).filter(Boolean)) {
    const there = access(join(folder, program), constants.X_OK);
    if (
      await there.then(
        () => true,
        () => false,
      )
    )
      return folder;
  }
  return undefined;
}

// Builds the Go programs of the test cluster into the cache folder: Kubernetes itself (from its Go module),
// the CSI driver of the tests, and small helpers. Starts on Node 20 and has no dependencies.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const defaultKubeVersion = 'v1.34.4';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const clusterSources = join(root, 'test/cluster');
const kubeComponents = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kubectl'];

/** The folder of everything that is built or downloaded outside the checkout. */
export function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kubectl-csi');
}

/**
 * Builds what is missing; does nothing in a few milliseconds when all is there.
 *
 * @param {{ kubeVersion?: string, log: (line: string) => void, signal?: AbortSignal }} options
 * @returns {Promise<{ kube: string, driver: string | undefined, helpers: string }>} folders of binaries
 * @throws when Go is missing or a build fails, with what to do next
 */
export async function ensureGoBinaries({ kubeVersion = defaultKubeVersion, log, signal }) {
  const kube = await ensureKube(kubeVersion, log, signal);
  const helpers = await ensureModule(join(clusterSources, 'helpers'), log, signal);
  const driver = existsSync(join(clusterSources, 'driver/go.mod'))
    ? await ensureModule(join(clusterSources, 'driver'), log, signal)
    : undefined;
  return { kube, driver, helpers };
}

async function ensureKube(version, log, signal) {
  const source = readFileSync(join(clusterSources, 'kube/main.go'));
  const target = join(cacheFolder(), 'kube', `${version}-${digest([source])}`);
  if (existsSync(target)) return target;
  checkKubeVersion(version);
  return finish(target, async (folder) => {
    const module = join(folder, 'module');
    mkdirSync(module);
    writeFileSync(join(module, 'main.go'), source);
    writeFileSync(join(module, 'go.mod'), kubeModule(version));
    log(`building Kubernetes ${version} (several minutes, once)`);
    await go(
      module,
      ['build', '-mod=mod', '-ldflags', versionStamps(version), '-o', join(folder, 'kube'), '.'],
      log,
      signal,
    );
    rmSync(module, { recursive: true });
    for (const name of kubeComponents) symlinkSync('kube', join(folder, name));
  });
}

/**
 * k8s.io/kubernetes is not made to be imported: its staging modules are named v0.0.0 and replaced by folders
 * of its own repository. Each must be replaced by the published module of the same release.
 */
function kubeModule(version) {
  const published = version.replace(/^v1\./, 'v0.');
  const download = execFileSync(goCommand(), ['mod', 'download', '-json', `k8s.io/kubernetes@${version}`], {
    encoding: 'utf8',
    env: goEnvironment(),
  });
  const original = readFileSync(JSON.parse(download).GoMod, 'utf8');
  const staging = [...original.matchAll(/^\s*(?:replace\s+)?(\S+) => \.\/staging\//gm)].map(
    (match) => match[1],
  );
  const goLine = /^go .*$/m.exec(original)?.[0] ?? 'go 1.24';
  return [
    'module kube',
    goLine,
    `require k8s.io/kubernetes ${version}`,
    ...staging.map((name) => `replace ${name} => ${name} ${published}`),
    '',
  ].join('\n');
}

function checkKubeVersion(version) {
  if (/^v1\.\d+\.\d+$/.test(version)) return;
  throw new Error(`'${version}' is no Kubernetes version; write it like ${defaultKubeVersion}`);
}

function versionStamps(version) {
  const [, minor] = /^v1\.(\d+)\./.exec(version) ?? [];
  const stamps = { gitVersion: version, gitMajor: '1', gitMinor: minor, gitTreeState: 'clean' };
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  const flags = packages.flatMap((name) =>
    Object.entries(stamps).map(([key, value]) => `-X ${name}.${key}=${value}`),
  );
  return ['-s', '-w', ...flags].join(' ');
}

/**
 * Builds every `cmd/*` (and every tool named in go.mod) of a module.
 * @param {string} module its folder
 * @param {(line: string) => void} log
 * @param {AbortSignal} [signal]
 * @param {Record<string, string>} [environment] what of Go's environment differs, such as CGO_ENABLED
 * @returns the folder of its binaries in the cache
 */
export async function ensureModule(module, log, signal, environment = {}) {
  const target = join(
    cacheFolder(),
    basename(module),
    digest(sourceFiles(module).map((file) => readFileSync(file))),
  );
  if (existsSync(target)) return target;
  return finish(target, async (folder) => {
    log(`building ${relative(root, module)}`);
    const packages = [...(existsSync(join(module, 'cmd')) ? ['./cmd/...'] : []), ...tools(module)];
    const build = ['build', '-ldflags', '-s -w', '-o', `${folder}/`, ...packages];
    await go(module, build, log, signal, environment);
  });
}

function tools(module) {
  const text = readFileSync(join(module, 'go.mod'), 'utf8');
  const block = /^tool \(([^)]*)\)/m.exec(text)?.[1] ?? /^tool (\S+)$/m.exec(text)?.[1] ?? '';
  return block.split(/\s+/).filter(Boolean);
}

function sourceFiles(module) {
  return readdirSync(module, { recursive: true })
    .filter((file) => /(\.go|go\.mod|go\.sum)$/.test(file) && !file.endsWith('_test.go'))
    .sort()
    .map((file) => join(module, file));
}

function digest(contents) {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(content).update('\0');
  return hash.digest('hex').slice(0, 12);
}

/** Fills a folder under a temporary name and renames it, so that an interrupted build is never taken for a whole one. */
async function finish(target, fill) {
  const temporary = `${target}.${process.pid}`;
  removeInterrupted(target);
  mkdirSync(temporary, { recursive: true });
  try {
    await fill(temporary);
    if (!existsSync(target)) renameSync(temporary, target);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return target;
}

/** Removes what builds of the same target left that did not come to their end. */
function removeInterrupted(target) {
  mkdirSync(dirname(target), { recursive: true });
  for (const name of readdirSync(dirname(target))) {
    const pid = name.startsWith(`${basename(target)}.`) ? name.slice(basename(target).length + 1) : '';
    const alive = pid !== String(process.pid) && existsSync(`/proc/${pid}`);
    if (pid !== '' && !alive) rmSync(join(dirname(target), name), { recursive: true, force: true });
  }
}

function goCommand() {
  for (const command of ['go', '/usr/local/go/bin/go', '/usr/lib/go/bin/go']) {
    try {
      execFileSync(command, ['version'], { stdio: 'ignore' });
      return command;
    } catch {}
  }
  throw new Error(
    'the test cluster is built with Go 1.26 or later, and there is no go on PATH: install it and try again',
  );
}

function goEnvironment() {
  return { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false', GOWORK: 'off' };
}

function go(cwd, args, log, signal, environment = {}) {
  return new Promise((resolve, reject) => {
    const started = Date.now();
    const build = spawn('nice', [goCommand(), ...args], {
      cwd,
      env: { ...goEnvironment(), ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
      signal,
    });
    const lines = [];
    build.stderr.setEncoding('utf8').on('data', (text) => lines.push(text));
    const progress = setInterval(
      () => log(`  still building, ${Math.round((Date.now() - started) / 1000)} s`),
      30_000,
    );
    build.on('error', reject).on('close', (code) => {
      clearInterval(progress);
      if (code === 0) resolve(undefined);
      else
        reject(
          new Error(
            `go ${args[0]} failed in ${cwd}:\n${lines.join('').trim().split('\n').slice(-30).join('\n')}`,
          ),
        );
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folders = await ensureGoBinaries({ kubeVersion: process.argv[2], log: console.error });
  console.log(JSON.stringify(folders, null, 2));
}

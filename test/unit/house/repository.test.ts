import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && existsSync(path));
const read = (path: string) => readFileSync(path, 'utf8');
const isText = (path: string) => !/\.(png|gz|zip|tar|bin)$/.test(path);

interface Package {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly resolved?: string;
}

const { packages } = JSON.parse(read('package-lock.json')) as {
  readonly packages: Readonly<Record<string, Package>>;
};

/** Licences that ask for no more than to be named. */
const permissive =
  /^(MIT|MIT-0|ISC|Apache-2\.0|BSD-2-Clause|BSD-3-Clause|0BSD|BlueOak-1\.0\.0|Python-2\.0|CC0-1\.0|CC-BY-4\.0|Unlicense)$/;
const isPermissive = (license: string) =>
  license
    .replaceAll(/[()]/g, '')
    .split(/ (?:AND|OR) /)
    .every((part) => permissive.test(part));

describe('the lines of the house: the repository', () => {
  for (const script of ['generate-index', 'generate-protocol'])
    it(`what ${script} writes is up to date`, () => {
      const { status, stderr } = spawnSync(process.execPath, [`scripts/${script}.mjs`, '--check'], {
        encoding: 'utf8',
      });
      assert.equal(status, 0, stderr);
    });

  it('the code of the CSI and registration services is what buf generates', function () {
    this.timeout(60_000);
    const folder = mkdtempSync(join(tmpdir(), 'kubectl-csi-buf-'));
    try {
      const bin = join(process.cwd(), 'node_modules/.bin');
      const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
      execFileSync(join(bin, 'buf'), ['generate', '--output', folder], {
        cwd: 'src/reach/csi',
        env,
        stdio: 'pipe',
      });
      const names = (root: string) => readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
      const made = join(folder, 'gen');
      assert.deepEqual(names('src/reach/csi/gen'), names(made));
      for (const name of names(made).filter((each) => /\.(js|ts)$/.test(each)))
        assert.equal(read(join('src/reach/csi/gen', name)), read(join(made, name)), name);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('no file speaks of the machine it was written on, or of a registry', () => {
    const places = [
      /\/root\/(?!\.(config|kube|ssh)\b)[\w.]/,
      /\/work\//,
      /\/home\/(?!(ann|user|me|you|dev|node|nonroot|me)\b)\w/,
      /registry\.npmjs\.org/,
      /proxy\.golang\.org/,
    ];
    const self = 'test/unit/house/repository.test.ts';
    const wrong = tracked
      .filter((path) => isText(path) && path !== self)
      .flatMap((path) =>
        read(path)
          .split('\n')
          .map((line, index) => ({ at: `${path}:${index + 1}: ${line.trim().slice(0, 120)}`, line })),
      )
      .filter(({ line }) => places.some((place) => place.test(line)));
    assert.deepEqual(
      wrong.map(({ at }) => at),
      [],
    );
  });

  it('package-lock.json names no address to load from', () => {
    const wrong = Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined);
    assert.deepEqual(
      wrong.map(([name]) => name),
      [],
    );
  });

  it('everything that is shipped has a licence that asks for nothing but to be named', () => {
    const shipped = Object.entries(packages).filter(([name, { dev }]) => name !== '' && !dev);
    assert.ok(shipped.length > 10);
    const wrong = shipped
      .map(([name, { license }]) => ({ name, license: license ?? licenseOf(name) }))
      .filter(({ license }) => !isPermissive(license));
    assert.deepEqual(wrong, []);
  });

  it('nothing that is used to build has a licence of the GPL family', () => {
    const wrong = Object.entries(packages).filter(([, { license }]) => /GPL/.test(license ?? ''));
    assert.deepEqual(
      wrong.map(([name, { license }]) => `${name}: ${license}`),
      [],
    );
  });
});

/** A lock file leaves out a licence that the package's own file has. */
function licenseOf(folder: string): string {
  const file = join(folder, 'package.json');
  return existsSync(file) ? String(JSON.parse(read(file)).license) : 'unknown';
}

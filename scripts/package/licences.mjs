// The licence report: the texts of everything that is inside the executables.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ZIG_VERSION } from '../setup/zig.mjs';
import { nodeVersion } from './targets.mjs';

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));

/** Licences that an Apache-2.0 program may carry in its executable. */
const accepted = ['Apache-2.0', 'MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0'];

/** musl's COPYRIGHT asks for its notice only in copies of substantial portions, which a static program is. */
const musl = `musl as a whole is licensed under the following standard MIT license:

Copyright © 2005-2020 Rich Felker, et al.

Permission is hereby granted, free of charge, to any person obtaining
a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including
without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to
permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be
included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND,
EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT.
IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT,
TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/**
 * @param {readonly string[]} names
 * @returns {{ name: string, version: string, license: string, text: string }[]}
 * @throws for a package without a licence that may be carried
 */
export function licencesOf(names) {
  return names.map((name) => {
    const folder = join(modules, name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (!isAccepted(license))
      throw new Error(`${name} ${version} has the licence ${license}; accepted are: ${accepted.join(', ')}`);
    return {
      name,
      version,
      license,
      text: licenceText(folder) ?? `${name} brings no text; its package says: ${license}`,
    };
  });
}

/** `(Apache-2.0 AND BSD-3-Clause)` needs both accepted. */
const isAccepted = (license = '') =>
  license
    .replace(/[()]/g, '')
    .split(' AND ')
    .every((part) => accepted.includes(part.trim()));

function licenceText(folder) {
  const name = readdirSync(folder).find((each) => /^(licen[cs]e|copying)(\.|$)/i.test(each));
  return name && existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim() : undefined;
}

/** @returns {string} one text with a heading for each part */
export function licenceReport(packages, nodeLicence) {
  const parts = [
    {
      name: 'Node.js',
      version: nodeVersion,
      license: 'MIT and those of its parts',
      text: nodeLicence.trim(),
    },
    {
      name: 'musl libc (in the node agents)',
      version: `as in ziglang ${ZIG_VERSION}`,
      license: 'MIT',
      text: musl,
    },
    ...licencesOf(packages),
  ];
  const line = '='.repeat(100);
  const body = parts.map(
    ({ name, version, license, text }) => `${line}\n${name} ${version}: ${license}\n${line}\n\n${text}\n`,
  );
  const title =
    'kubectl csi is licensed under Apache-2.0 (LICENSE). Its executables carry these works of others:';
  return `${title}\n\n${body.join('\n')}`;
}

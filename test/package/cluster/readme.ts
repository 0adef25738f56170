import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** What the README tells of, in its order: something befalls (a comment that no reader sees), or a command is typed. */
export type Step =
  | ({ readonly does: 'break' } & Place)
  | ({ readonly does: 'app' } & Place)
  | { readonly does: 'type'; readonly line: string; readonly prints: string };

interface Place {
  /** Of the incident, or of the app. */
  readonly name: string;
  readonly node: string;
  readonly driver: string;
}

const path = resolve('README.md');
const comment = /^<!-- (break|app): (\S+) (\S+) (\S+) -->$/;

/** The steps of the README, or of the given text. */
export function readmeSteps(text = readFileSync(path, 'utf8')): readonly Step[] {
  return text.split(/(?=^<!-- )|(?=^```)/m).flatMap((part) => {
    const [first = '', ...lines] = part.split('\n');
    const [, does, name, node, driver] = comment.exec(first) ?? [];
    if (does && name && node && driver)
      return [{ does: does === 'app' ? 'app' : 'break', name, node, driver } as const];
    return first === '```' && lines[0]?.startsWith('$ ') ? typed(lines.join('\n')) : [];
  });
}

const typed = (block: string): readonly Step[] =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((each): Step => {
      const end = each.indexOf('\n');
      return { does: 'type', line: each.slice(0, end), prints: each.slice(end + 1).trim() };
    });

/** Writes what was really printed in the place of what the README says. */
export function writeReadme(printed: ReadonlyMap<string, string>): void {
  const text = readFileSync(path, 'utf8');
  const next = text.replaceAll(/^\$ (.*)\n((?:(?!```|\$ ).*\n)*)/gm, (whole, line: string, old: string) => {
    const real = printed.get(line);
    if (real === undefined) return whole;
    return `$ ${line}\n${real}\n${old.endsWith('\n\n') ? '\n' : ''}`;
  });
  writeFileSync(path, next);
}

/** What differs from run to run: durations, clocks, process ids, generated names. */
export const withoutChance = (text: string) =>
  text
    .trim()
    .replaceAll(/\b\d+(\.\d+)? m?s\b/g, 'N s')
    .replaceAll(/\bE\d{4} [\d:.]+ +\d+ /g, 'KLOG ')
    // The alphabet of generated names (k8s.io/apimachinery/pkg/util/rand).
    .replaceAll(/(-[0-9a-f]{8,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-HASH')
    .replaceAll(/ +/g, ' ');

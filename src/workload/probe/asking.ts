import type { Tools } from './command.ts';

/** What a running container says of itself. */
export interface ContainerWord {
  readonly tools: Tools;
  /** Lines of its mountinfo. */
  readonly mounts: readonly ContainerMount[];
}

export interface ContainerMount {
  readonly path: string;
  readonly fsType: string;
  readonly superOptions: string;
}

/** Asks for tools by trying them where nothing can hang, and for the mounts; reads, changes nothing. */
export const askCommand: readonly string[] = [
  'sh',
  '-c',
  [
    'echo sh',
    'stat -f / >/dev/null 2>&1 && echo stat',
    'df / >/dev/null 2>&1 && echo df',
    'sleep 0 2>/dev/null && echo sleep',
    'command -v wget >/dev/null && echo wget',
    'command -v curl >/dev/null && echo curl',
    'case $(timeout --version 2>/dev/null) in *"GNU coreutils"*) echo gnu-timeout;; esac',
    'while read -r line; do echo "mount $line"; done </proc/self/mountinfo',
    'true',
  ].join('\n'),
];

/** @returns undefined where this is no answer of the question */
export function containerWord(output: string): ContainerWord | undefined {
  const lines = output.split('\n').map((line) => line.trim());
  if (lines[0] !== 'sh') return undefined;
  const has = (word: string) => lines.includes(word);
  return {
    tools: {
      shell: true,
      gnuTimeout: has('gnu-timeout'),
      sleep: has('sleep'),
      stat: has('stat'),
      df: has('df'),
      fetch: has('wget') ? 'wget' : has('curl') ? 'curl' : undefined,
    },
    mounts: lines.flatMap((line) => (line.startsWith('mount ') ? mountOf(line.slice(6)) : [])),
  };
}

/** proc(5), mountinfo: fields, a lone dash, then type, source and options of the file system. */
function mountOf(line: string): readonly ContainerMount[] {
  const fields = line.split(' ');
  const dash = fields.indexOf('-');
  const [path, fsType, superOptions = ''] = [fields[4], fields[dash + 1], fields[dash + 3]];
  return dash < 0 || !path || !fsType ? [] : [{ path: unescaped(path), fsType, superOptions }];
}

const unescaped = (text: string) =>
  text.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));

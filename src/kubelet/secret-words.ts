const mask = '<masked>';

/** Flags whose value is a secret; one that names a file is none. k3s and rke2 take `--token` where kubelet runs in them. */
const secretFlag = /^-{0,2}[\w-]*(?:token|password|passwd|secret)$/i;

/**
 * A command line with the values of secret flags masked: whatever process runs kubelet, what is captured and printed of
 * its arguments holds none.
 */
export function withoutSecrets(argv: readonly string[]): readonly string[] {
  return argv.map((word, index) => {
    const [flag = '', value] = splitOnce(word);
    if (value !== undefined) return secretFlag.test(flag) ? `${flag}=${mask}` : word;
    const before = argv[index - 1] ?? '';
    const isValue = !word.startsWith('-') && before.startsWith('-') && secretFlag.test(before);
    return isValue ? mask : word;
  });
}

function splitOnce(word: string): readonly [string, string | undefined] {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

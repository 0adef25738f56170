const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** C0, DEL and C1 (ECMA-48): what a terminal obeys instead of showing it. */
const controls = /\p{Cc}/gu;

const escaped = (control: string) =>
  named[control] ?? `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`;

/** Text from a node or a server, as a terminal may show it on one line. */
export const escapeControls = (text: string) => text.replace(controls, escaped);

/** The same for text of several lines. */
export const escapeControlsInLines = (text: string) => text.split('\n').map(escapeControls).join('\n');

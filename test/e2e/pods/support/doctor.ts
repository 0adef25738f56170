import assert from 'node:assert/strict';
import { type Cluster, waitFor } from '../../../cluster/index.ts';
import { csi, csiJson } from '../../registration/support/csi.ts';
import type { Diagnosis, Finding } from '../../registration/support/documents.ts';
import { namespace } from './objects.ts';

/** As much of the document as the tests look at. */
export interface PodDocument {
  readonly kind: 'PodDoctor';
  readonly verdict: string;
  readonly blocker?: { readonly finding: Finding };
  readonly walk: readonly {
    readonly link: string;
    readonly volume?: string;
    readonly state: string;
    readonly what: string;
  }[];
  readonly diagnosis: Diagnosis;
}

export const doctor = async (cluster: Cluster, pod: string) =>
  csiJson<PodDocument>(cluster, ['doctor', `pod/${pod}`, '-n', namespace]);

/** What is expected of `doctor pod/NAME`. */
export interface Expected {
  /** `rule: reason`. */
  readonly blocker: string;
  /** What clears it. */
  readonly cure: RegExp;
  /** Links that must be called sound: what has been ruled out. */
  readonly sound?: readonly string[];
}

/** Asks once, and holds the answer against what is expected. @returns the answer */
export async function assertBlocker(cluster: Cluster, pod: string, expected: Expected): Promise<PodDocument> {
  const { doc, code, stderr } = await doctor(cluster, pod);
  const finding = doc.blocker?.finding;
  const whole = JSON.stringify(doc, undefined, 1);
  assert.equal(finding && `${finding.rule}: ${finding.reason}`, expected.blocker, whole);
  assert.match(String(finding?.cure), expected.cure);
  for (const link of expected.sound ?? [])
    assert.equal(doc.walk.find((step) => step.link === link)?.state, 'sound', `${link}: ${whole}`);
  assert.equal(code, 1, stderr);
  return doc;
}

/** The same text for a person fits into 100 columns. */
export async function assertFits(cluster: Cluster, pod: string): Promise<string> {
  const { stdout } = await csi(cluster, ['doctor', `pod/${pod}`, '-n', namespace]);
  const long = stdout.split('\n').filter((line) => line.length > 100 && line.includes(' '));
  assert.deepEqual(
    long.filter(
      (line) =>
        line
          .trim()
          .split(' ')
          .some((word) => word.length < 60) && !/\S{70}/.test(line),
    ),
    [],
  );
  return stdout;
}

interface Event {
  readonly message: string;
}

/** Waits until an event about the pod, or about its claim of the same name, says so. */
export function waitEvent(cluster: Cluster, name: string, text: RegExp): Promise<void> {
  return waitFor(
    `an event of ${name} that says ${text}`,
    async () => {
      const about = `--field-selector=involvedObject.name=${name}`;
      const { items } = await cluster.kubectlJson<{ items: readonly Event[] }>([
        'get',
        'events',
        '-n',
        namespace,
        about,
      ]);
      const said = items.map(({ message }) => message);
      return said.some((message) => text.test(message)) ? { done: undefined } : { seen: said.join('; ') };
    },
    { timeoutMs: 120_000, intervalMs: 500 },
  );
}

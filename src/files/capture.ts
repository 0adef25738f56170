import { readFile, writeFile } from 'node:fs/promises';
import { UsageError } from '../cli/usage-error.ts';
import { errorText } from '../model/error-text.ts';
import type { NodeEvidence } from '../model/evidence.ts';
import type { NodeName } from '../model/ids.ts';
import { mapSeen, type Observed, unseen } from '../model/observed.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { captureShape } from './capture-shape.ts';

/** Snapshot and evidence as one document. A newer version may add fields; another version may not be read. */
export interface Capture {
  readonly apiVersion: 'kubectl-csi/v1';
  readonly kind: 'Capture';
  readonly client: string;
  readonly snapshot: Snapshot;
  /** Pairs of node and evidence; empty where no node was visited. */
  readonly evidence: readonly (readonly [NodeName, Observed<NodeEvidence>])[];
}

const isCapture = (document: unknown): document is Capture =>
  typeof document === 'object' &&
  document !== null &&
  (document as Capture).kind === 'Capture' &&
  (document as Capture).apiVersion === 'kubectl-csi/v1';

const next = 'kubectl csi capture FILE writes one.';

/** @throws UsageError when the file cannot be read or holds something else */
export async function readCapture(path: string): Promise<Capture> {
  try {
    return parseCapture(path, await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} cannot be read as a capture: ${errorText(error)}`, next);
  }
}

/** @throws UsageError when the text is of another kind or version or has not its shape, SyntaxError when it is no JSON */
export function parseCapture(path: string, text: string): Capture {
  const document: unknown = JSON.parse(text);
  if (!isCapture(document))
    throw new UsageError(`${path} is no capture of this version (kubectl-csi/v1)`, next);
  const fault = captureShape(document, '');
  if (fault === undefined) return completed(document);
  throw new UsageError(`${path} is a damaged capture: ${fault} is missing or of another kind`, next);
}

/** What the version that wrote the capture did not look at yet is unseen. */
function completed(capture: Capture): Capture {
  const later = {
    mounts: unseen(`kubectl csi ${capture.client} did not look at mounts`),
    watcherLog: unseen(`kubectl csi ${capture.client} did not read kubelet's log`),
  };
  const keptLater = { podUids: unseen(`kubectl csi ${capture.client} did not keep the UIDs of pods`) };
  return {
    ...capture,
    snapshot: { ...keptLater, ...capture.snapshot },
    evidence: capture.evidence.map(([node, evidence]) => [
      node,
      mapSeen(evidence, (value) => ({ ...later, ...value })),
    ]),
  };
}

/** @throws UsageError when the file exists already or cannot be written */
export async function writeCapture(path: string, capture: Capture, overwrite: boolean): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(capture, undefined, 1)}\n`, {
      flag: overwrite ? 'w' : 'wx',
      mode: 0o600,
    });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new UsageError(
      exists ? `${path} exists already` : `${path} cannot be written: ${errorText(error)}`,
      exists ? 'Name another file, or replace it with --overwrite.' : 'Name another file.',
    );
  }
}

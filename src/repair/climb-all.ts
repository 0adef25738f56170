import { mapConcurrent } from '../model/concurrent.ts';
import { errorText } from '../model/error-text.ts';
import type { StepOutcome } from '../model/outcome.ts';
import type { Rung, Step } from '../model/plan.ts';
import { climb } from './climb.ts';
import type { NodePort } from './ports.ts';
import type { RunOptions } from './run.ts';

/** Volumes of one node that are repaired side by side: they share looks, and wait for the driver more than they work. */
const volumesAtOnce = 64;

const isSafe = ({ risk }: Rung) => risk === 'safe';
const isOfVolume = ({ findings }: Step) => findings.some(({ subject }) => subject.volume !== undefined);

/**
 * The steps of one node: drivers first and one after the other, since volumes need them and a kubelet restart concerns
 * all; then the volumes side by side as far as no process ends; at last, one after the other, what needs more.
 */
export async function climbAll(
  steps: readonly Step[],
  node: NodePort,
  options: RunOptions,
  signal: AbortSignal,
): Promise<readonly StepOutcome[]> {
  const begin = (step: Step, rungs?: readonly Rung[], before?: StepOutcome) =>
    signal.aborted
      ? Promise.resolve(before ?? notBegun(step, errorText(signal.reason)))
      : climb(step, node, options, signal, rungs, before?.attempts);
  const outcomes: StepOutcome[] = [];
  for (const step of steps.filter((each) => !isOfVolume(each))) outcomes.push(await begin(step));
  const volumes = await mapConcurrent(steps.filter(isOfVolume), volumesAtOnce, async (step) => {
    const { safe, riskier } = partsOf(step);
    const gentle = safe.length > 0 || riskier.length === 0 ? await begin(step, safe) : undefined;
    return { step, gentle, riskier };
  });
  for (const { step, gentle, riskier } of volumes) {
    const done = gentle && (isDone(gentle) || riskier.length === 0);
    outcomes.push(done ? gentle : await begin(step, riskier, gentle));
  }
  return outcomes;
}

/** Barred rungs stay with the safe ones: where no other is, they say why nothing was done. */
function partsOf({ rungs }: Step) {
  const riskier = rungs.filter((rung) => rung.barred === undefined && !isSafe(rung));
  const open = rungs.filter((rung) => rung.barred === undefined && isSafe(rung));
  return { riskier, safe: open.length > 0 || riskier.length > 0 ? open : rungs };
}

/** A failure that left something is not climbed over. */
const isDone = ({ result }: StepOutcome) => result === 'repaired' || result === 'gone' || result === 'failed';

export const notBegun = (step: Step, detail: string): StepOutcome => ({
  step,
  result: 'refused',
  attempts: [{ repair: step.rungs[0]?.repair ?? 'none', result: 'refused', detail, took: 0 }],
  left: [],
});

/**
 * Aborts as `signal` does, so much later: what is on its way then, and its undoing, may end in order.
 * @param graceMs milliseconds
 */
export function withGrace(signal: AbortSignal, graceMs: number): AbortSignal {
  const later = new AbortController();
  const abort = () => setTimeout(() => later.abort(signal.reason), graceMs).unref();
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return later.signal;
}

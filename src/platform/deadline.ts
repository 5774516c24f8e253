/**
 * Aborts after `ms`, or when one of the others does. `AbortSignal.any` holds what it is made of weakly: an `AbortSignal.timeout`
 * that nobody else keeps is collected with its limit. The timer here keeps what it ends, and never keeps the process alive.
 */
export function deadline(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController();
  const { signal } = controller;
  const late = () => controller.abort(new DOMException(`More than ${ms} ms have passed.`, 'TimeoutError'));
  const timer = setTimeout(late, ms).unref();
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  for (const other of others) {
    const follow = () => controller.abort(other.reason);
    if (other.aborted) follow();
    other.addEventListener('abort', follow, { once: true, signal });
  }
  return signal;
}

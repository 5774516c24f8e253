import type { Json } from './api.ts';
import { type Polled, usePolled } from './polled.ts';

/** A server that is not ready answers 503 with the same body. */
async function readiness(): Promise<Json> {
  return await (await fetch('/readyz')).json();
}

export const useReadiness = (): Polled => usePolled('/readyz', readiness);

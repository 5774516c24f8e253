import type { Json } from './api.ts';
import { operatorHeaders } from './operator.ts';
import { type Polled, usePolled } from './polled.ts';

/** A server that is not ready answers 503 with the same body. Without the operator's token `parts` may be empty. */
async function readiness(): Promise<Json> {
  return await (await fetch('/readyz', { headers: operatorHeaders() })).json();
}

export const useReadiness = (): Polled => usePolled('/readyz', readiness);

import type { ApiError } from '../../../foundation/platform/errors.ts';

/** How a connection is closed by an error; null: one of our own. */
export function closeCodeOf(error: ApiError | null): number {
  if (error === null || error.status >= 500) return 1011;
  return error.status === 402 || error.status === 429 ? 4429 : 1008;
}

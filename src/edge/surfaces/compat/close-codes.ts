import type { ApiError } from '../../../foundation/platform/errors.ts';

export function closeCodeOf(error: ApiError | null): number {
  if (error === null || error.status >= 500) return 1011;
  return error.status === 402 || error.status === 429 ? 4429 : 1008;
}

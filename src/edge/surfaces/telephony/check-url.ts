import { ApiError } from '../../../foundation/platform/errors.ts';
import { GateError, type UrlGate } from '../../../foundation/platform/url-gate/index.ts';

/** Throws ApiError for an address that events may not go to. */
export function checkUrl(gate: Pick<UrlGate, 'check'>, url: string, param: string): void {
  try {
    gate.check(url);
  } catch (error) {
    if (error instanceof GateError)
      throw new ApiError('invalid_request', error.message, { param, cause: error });
    throw error;
  }
}

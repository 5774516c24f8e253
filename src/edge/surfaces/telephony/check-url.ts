import { ApiError } from '../../../foundation/platform/errors.ts';
import { GateError, type UrlGate } from '../../../foundation/platform/url-gate/index.ts';

export function checkUrl(gate: Pick<UrlGate, 'check'>, url: string, param: string): void {
  try {
    gate.check(url);
  } catch (error) {
    if (error instanceof GateError)
      throw new ApiError('invalid_request', error.message, { param, cause: error });
    throw error;
  }
}

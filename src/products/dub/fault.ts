import { PermanentError } from '../../foundation/jobs/index.ts';
import { ApiError } from '../../foundation/platform/errors.ts';

export type DubFaultCode =
  | 'no_speech'
  | 'wrong_language'
  | 'invalid_audio'
  | 'payload_too_large'
  | 'source_unavailable'
  | 'insufficient_credit'
  | 'translation_failed'
  | 'internal_error';

/** An error that ends a dub, because another attempt would not help. */
export class DubFault extends PermanentError {
  readonly code: DubFaultCode;

  constructor(code: DubFaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DubFault';
    this.code = code;
  }
}

/** A step that failed for now, with the error that the customer gets if it never succeeds. */
export class StepFailed extends Error {
  readonly code: DubFaultCode;

  constructor(code: DubFaultCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StepFailed';
    this.code = code;
  }
}

/** The messages of the decoder and of billing are safe to show to the customer. */
export function faultOf(error: unknown, code: DubFaultCode): unknown {
  if (!(error instanceof ApiError) || error.status >= 500) return error;
  const own: DubFaultCode = error.code === 'payload_too_large' ? 'payload_too_large' : code;
  return new DubFault(own, error.message, { cause: error });
}

import { defineError } from './error-definition.ts';

/** Only recognition answers these codes. */
export const HEAR_ERRORS = {
  trace_not_entitled: defineError(
    403,
    'permission_error',
    'Trace not entitled',
    false,
    'Your organization may not use the PII scan; the operator turns it on.',
  ),
  trace_not_combinable: defineError(
    400,
    'invalid_request_error',
    'Trace not combinable',
    false,
    '`trace` can not be combined with `diarize` or `channel`.',
  ),
} as const;

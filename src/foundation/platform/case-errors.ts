import { defineError } from './error-definition.ts';

/** Errors of compliance cases. */
export const CASE_ERRORS = {
  rules_unavailable: defineError(
    422,
    'invalid_request_error',
    'No rules for such numbers',
    false,
    'The registry has no rules for this country, kind, number type or capability, and a case is never made on guesses. The message lists what it has.',
  ),
  case_closed: defineError(
    409,
    'conflict_error',
    'Case closed',
    false,
    'The compliance case is submitted or cancelled: nothing of it changes any more. Make a new one.',
  ),
  case_not_ready: defineError(
    409,
    'conflict_error',
    'Case not ready',
    false,
    'The compliance case cannot be submitted yet; its `missing` says what is to be done, and why.',
  ),
  network_not_configured: defineError(
    409,
    'conflict_error',
    'No network for submissions',
    false,
    'This server submits compliance cases to no carrier: the operator sets TRUNKLINE_COMPLIANCE_NETWORK.',
  ),
} as const;

import { defineError } from './error-definition.ts';

export const CASE_ERRORS = {
  rules_unavailable: defineError(422, 'invalid_request_error', 'No rules for such numbers', false, {
    cause:
      'The registry has no rules for this country, kind, number type or capability, and a compliance case is never made on guesses.',
    remedy:
      'Choose one of the number types or capabilities that the message lists, or ask the operator to update the registry.',
    example: '`The registry has no rules for such numbers (business in FR); number types with rules: local.`',
  }),
  case_closed: defineError(409, 'conflict_error', 'Case closed', false, {
    cause: 'The compliance case is submitted or cancelled and can no longer be changed.',
    remedy: 'Create a new case.',
    example: 'An upload to a submitted case answers `The case is submitted and can no longer be changed.`',
  }),
  case_not_ready: defineError(409, 'conflict_error', 'Case not ready', false, {
    cause: 'The compliance case cannot be submitted yet; its `missing` lists what has to be done, and why.',
    remedy: 'Retrieve the case, resolve what `missing` lists, then submit it again.',
    example: 'A submission without the proof of address names that document.',
  }),
  network_not_configured: defineError(409, 'conflict_error', 'No network for submissions', false, {
    cause: 'This server has no carrier to which compliance cases can be submitted.',
    remedy: 'Ask the operator to set TRUNKLINE_COMPLIANCE_NETWORK.',
    example: '`POST /v1/telephony/compliance-cases/{id}/submit` on a server without the setting.',
  }),
} as const;

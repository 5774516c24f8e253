import { defineError } from './error-definition.ts';

/** Errors of integrations and messages. */
export const INTEGRATION_ERRORS = {
  call_integrations_not_entitled: defineError(
    403,
    'permission_error',
    'Call integrations not entitled',
    false,
    'Your organization may not import calls of other providers; the operator turns it on.',
  ),
} as const;

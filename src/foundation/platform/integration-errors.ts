import { entry } from './error-entry.ts';

/** Errors of integrations and messages. */
export const INTEGRATION_ERRORS = {
  call_integrations_not_entitled: entry(
    403,
    'permission_error',
    'Call integrations not entitled',
    false,
    'Your organization may not import calls of other providers; the operator turns it on.',
  ),
} as const;

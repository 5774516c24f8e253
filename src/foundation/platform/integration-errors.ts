import { defineError } from './error-definition.ts';

export const INTEGRATION_ERRORS = {
  call_integrations_not_entitled: defineError(
    403,
    'permission_error',
    'Call integrations not entitled',
    false,
    {
      cause: 'The organization is not entitled to import calls from other providers.',
      remedy: 'Ask the operator to grant the entitlement `call_integrations`.',
      example: 'A webhook of a call provider answers `Your organization is not entitled to import calls.`',
    },
  ),
} as const;

import { defineError } from './error-definition.ts';

export const MSGAPP_ERRORS = {
  call_not_permitted: defineError(
    409,
    'conflict_error',
    'Calls are not permitted',
    false,
    'The person has not permitted calls from this number, or no longer does. Ask them by POST /v1/msgapp/numbers/{id}/call-permissions.',
  ),
  calling_disabled: defineError(
    409,
    'conflict_error',
    'Calling is off',
    false,
    'The number makes no calls until calling is turned on for it: PUT /v1/msgapp/numbers/{id}/calling {"status": "ENABLED"}.',
  ),
  provider_refused: defineError(
    502,
    'server_error',
    'The provider refused',
    true,
    'The messaging provider said no, or could not be reached; the message says what it answered.',
  ),
} as const;

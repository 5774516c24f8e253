import { entry } from './error-entry.ts';

/** Of calls by messaging apps. */
export const MSGAPP_ERRORS = {
  call_not_permitted: entry(
    409,
    'conflict_error',
    'Calls are not permitted',
    false,
    'The person has not permitted calls from this number, or no longer does. Ask them by POST /v1/msgapp/numbers/{id}/call-permissions.',
  ),
  provider_refused: entry(
    502,
    'server_error',
    'The provider refused',
    true,
    'The messaging provider said no, or could not be reached; the message says what it answered.',
  ),
} as const;

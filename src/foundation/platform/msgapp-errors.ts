import { defineError } from './error-definition.ts';

export const MSGAPP_ERRORS = {
  call_not_permitted: defineError(409, 'conflict_error', 'Calls are not permitted', false, {
    cause: 'The person has not permitted calls from this number, or withdrew the permission.',
    remedy: 'Ask them with POST /v1/msgapp/numbers/{id}/call-permissions, and call once they have agreed.',
    example: '`POST /v1/msgapp/calls` to a person who never answered a permission request.',
  }),
  calling_disabled: defineError(409, 'conflict_error', 'Calling is off', false, {
    cause: 'Calling is disabled for this number.',
    remedy: 'Enable it with PUT /v1/msgapp/numbers/{id}/calling `{"status": "ENABLED"}`.',
    example: '`POST /v1/msgapp/calls` from a number that was registered a moment ago.',
  }),
  provider_refused: defineError(502, 'server_error', 'The provider refused', true, {
    cause:
      'The messaging provider rejected the request, or could not be reached; the message has its answer.',
    remedy:
      'Correct what the provider names, such as the access token; if it could not be reached, send the request again.',
    example: '`POST /v1/msgapp/numbers/{id}/call-permissions` while the access token has expired.',
  }),
} as const;

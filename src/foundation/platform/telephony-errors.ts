import { defineError } from './error-definition.ts';

/** Only routes of telephone calls answer these codes. */
export const TELEPHONY_ERRORS = {
  destination_not_allowed: defineError(
    403,
    'permission_error',
    'Destination not allowed',
    false,
    'Calls to that country are not allowed from this server; its operator lists those that are in TRUNKLINE_DIAL_COUNTRIES.',
  ),
  numbers_max_exceeded: defineError(
    402,
    'billing_error',
    'No more numbers',
    false,
    'The organization has as many telephone numbers as its plan allows (`numbers_max`). Release one, or ask the operator for more.',
  ),
  call_not_live: defineError(
    409,
    'conflict_error',
    'Call not live',
    false,
    'The call is not in the state that this needs: it is not answered yet, or it is over.',
  ),
  campaign_state: defineError(
    409,
    'conflict_error',
    'Campaign in another state',
    false,
    'The campaign is not in a state that allows this: what is done cannot be started again, and only what runs can be paused.',
  ),
  transfer_refused: defineError(
    409,
    'conflict_error',
    'Transfer refused',
    false,
    'The carrier, or whoever was to take the call, refused it. The call goes on as it was.',
  ),
} as const;

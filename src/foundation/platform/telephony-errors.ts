import { defineError } from './error-definition.ts';

export const TELEPHONY_ERRORS = {
  destination_not_allowed: defineError(403, 'permission_error', 'Destination not allowed', false, {
    cause: 'Calls to that country are not allowed from this server.',
    remedy: 'Call another country, or ask the operator to add it to TRUNKLINE_DIAL_COUNTRIES.',
    example: '`POST /v1/telephony/calls` to a premium-rate country.',
  }),
  numbers_max_exceeded: defineError(402, 'billing_error', 'No more numbers', false, {
    cause: 'The organization has reached the limit of telephone numbers of its plan (`numbers_max`).',
    remedy: 'Release a number, or ask the operator for a higher limit.',
    example: '`The organization has reached its plan’s limit of 5 numbers.`',
  }),
  call_not_live: defineError(409, 'conflict_error', 'Call not live', false, {
    cause: 'The call is not live: it has not been answered yet, or it has ended.',
    remedy: "Read the call's `state`; act while it is `answered`.",
    example: '`POST /v1/telephony/calls/{call_id}/hangup` after the other side hung up.',
  }),
  campaign_state: defineError(409, 'conflict_error', 'Campaign in another state', false, {
    cause:
      'The campaign is not in a state that allows this: a finished campaign cannot be started again, and only a running campaign can be paused.',
    remedy: "Read the campaign's `state`; create a new campaign if it is finished.",
    example:
      '`POST /v1/telephony/campaigns/{campaign_id}/pause` of a draft answers `The campaign is draft; only a running campaign can be paused.`',
  }),
  transfer_refused: defineError(409, 'conflict_error', 'Transfer refused', false, {
    cause:
      'The carrier, or the party that was to take the call, refused the transfer, or another transfer of the call is in progress. The call goes on as it was.',
    remedy:
      "Try another destination, or let the agent tell the caller. The message has the carrier's answer, or says to whom the call is being transferred: wait until that transfer has failed.",
    example: '`The carrier did not transfer the call: +14155550102 did not answer the call: busy`',
  }),
} as const;

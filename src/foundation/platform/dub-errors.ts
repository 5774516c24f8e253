import { defineError } from './error-definition.ts';

export const DUB_ERRORS = {
  unsupported_direction: defineError(422, 'invalid_request_error', 'Unsupported direction', false, {
    cause: 'This server cannot dub between these two languages at the moment.',
    remedy: 'Choose a pair that GET /healthz/dub lists, or ask the operator to install the translator.',
    example: '`POST /v1/dub` with `"target": "hi"` on a server without a model for it.',
  }),
  dub_not_ready: defineError(409, 'conflict_error', 'Dub not ready', false, {
    cause: 'The dub is still in progress, or its files were deleted; see its `status`.',
    remedy: 'Wait for the event `dub.done` or poll the dub; submit it again if its recording was removed.',
    example: '`GET /v1/dub/{id}/download` a second after submission.',
  }),
} as const;

import { defineError } from './error-definition.ts';

/** The routes of dubs answer these codes beyond the general ones. */
export const DUB_ERRORS = {
  unsupported_direction: defineError(
    422,
    'invalid_request_error',
    'Unsupported direction',
    false,
    'This server can not dub from the one language to the other now; GET /healthz/dub lists what it can.',
  ),
  dub_not_ready: defineError(
    409,
    'conflict_error',
    'Dub not ready',
    false,
    'The dub is still being made, or its files were removed; `status` tells which.',
  ),
  range_not_satisfiable: defineError(
    416,
    'invalid_request_error',
    'Range not satisfiable',
    false,
    'The range begins behind the end of the file; Content-Range says how long it is.',
  ),
} as const;

import { defineError } from './error-definition.ts';

/** Errors of casts and of their files. */
export const CAST_ERRORS = {
  unsupported_voice: defineError(
    422,
    'invalid_request_error',
    'Unsupported voice',
    false,
    'Casts have no voice of that name; GET /v1/cast/capabilities lists those that there are.',
  ),
  range_not_satisfiable: defineError(
    416,
    'invalid_request_error',
    'Range not satisfiable',
    false,
    'The bytes that the Range header asks for lie outside the file; Content-Range says how many there are.',
  ),
} as const;

import { defineError } from './error-definition.ts';

export const CAST_ERRORS = {
  unsupported_voice: defineError(422, 'invalid_request_error', 'Unsupported voice', false, {
    cause: 'Cast has no voice of that name.',
    remedy: 'Choose one of GET /v1/cast/capabilities.',
    example: '`POST /v1/cast/projects/{id}/renders` of a project whose line names a voice that was removed.',
  }),
  range_not_satisfiable: defineError(416, 'invalid_request_error', 'Range not satisfiable', false, {
    cause: 'The bytes that the Range header asks for lie outside the file.',
    remedy: 'Ask for a range below the length that Content-Range gives.',
    example: '`Range: bytes=9000-` of a file of 8,000 bytes answers `Content-Range: bytes */8000`.',
  }),
} as const;

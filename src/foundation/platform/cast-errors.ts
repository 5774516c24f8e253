import { defineError } from './error-definition.ts';

export const CAST_ERRORS = {
  unsupported_voice: defineError(422, 'invalid_request_error', 'Unsupported voice', false, {
    cause: 'Cast has no voice of that name.',
    remedy: 'Choose one of the voices in GET /v1/cast/capabilities.',
    example: '`POST /v1/cast/projects/{id}/renders` of a project whose line names a voice that was removed.',
  }),
  range_not_satisfiable: defineError(416, 'invalid_request_error', 'Range not satisfiable', false, {
    cause: 'The byte range in the Range header is outside of the file.',
    remedy: 'Request a range within the length that Content-Range returns.',
    example: '`Range: bytes=9000-` of a file of 8,000 bytes answers `Content-Range: bytes */8000`.',
  }),
} as const;

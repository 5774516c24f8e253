import { defineError } from './error-definition.ts';

export const HEAR_ERRORS = {
  trace_not_entitled: defineError(403, 'permission_error', 'Trace not entitled', false, {
    cause: 'The organization is not entitled to the PII scan.',
    remedy: 'Omit `trace`, or ask the operator to grant the entitlement `trace`.',
    example:
      '`POST /v1/transcription/jobs` with `"trace": true` answers `Your organization is not entitled to trace.`',
  }),
  trace_not_combinable: defineError(400, 'invalid_request_error', 'Trace not combinable', false, {
    cause: '`trace` cannot be combined with `diarize` or `channel`.',
    remedy: 'Send two jobs, or omit one of the fields; `param` names the field.',
    example: '`{"trace": true, "diarize": true}` answers `trace cannot be combined with diarize.`',
  }),
} as const;

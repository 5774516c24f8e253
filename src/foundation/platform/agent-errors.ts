import { defineError } from './error-definition.ts';

export const AGENT_ERRORS = {
  suite_not_passed: defineError(409, 'conflict_error', 'Suite not passed', false, {
    cause:
      'The agent requires a test suite, and the newest run of it against this version did not pass, or there is none.',
    remedy: 'Save with `draft=true`, run the suite with POST /v1/agents/{agent_id}/test-runs, then publish.',
    example: '`The suite “smoke” was not run against version 4.`',
  }),
} as const;

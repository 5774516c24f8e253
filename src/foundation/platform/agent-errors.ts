import { defineError } from './error-definition.ts';

/** Errors of agents and their versions. */
export const AGENT_ERRORS = {
  suite_not_passed: defineError(
    409,
    'conflict_error',
    'Suite not passed',
    false,
    'The agent demands a suite, and the newest run of it against this version did not pass, or there is none. Save with draft=true, play the suite, then publish.',
  ),
} as const;

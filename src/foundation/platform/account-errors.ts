import { defineError } from './error-definition.ts';

export const ACCOUNT_ERRORS = {
  last_owner: defineError(409, 'conflict_error', 'Last owner', false, {
    cause: 'An organization always has an owner, and this member is the last one.',
    remedy: 'Make another member an owner first, or delete the organization.',
    example: '`DELETE /v1/members/{id}` of the only owner',
  }),
  last_project: defineError(409, 'conflict_error', 'Last project', false, {
    cause: 'An organization always has a project, and this one is the last.',
    remedy: 'Create another project first, or delete the organization.',
    example: '`DELETE /v1/projects/{id}` of the only project.',
  }),
  project_in_use: defineError(409, 'conflict_error', 'Project in use', false, {
    cause: 'The project still has telephone numbers, which cost rent.',
    remedy: 'Release the numbers with DELETE /v1/telephony/numbers/{number_id}, then delete the project.',
    example:
      '`DELETE /v1/projects/{id}` answers `The project still has telephone numbers. Release them first.`',
  }),
  email_taken: defineError(400, 'invalid_request_error', 'E-mail already in use', false, {
    cause: 'An account with this e-mail address exists.',
    remedy: 'Sign in instead, or reset the password. An invitation is accepted after signing in.',
    example: '`POST /auth/signup` with an address that has an account.',
  }),
} as const;

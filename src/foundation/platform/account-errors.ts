import { defineError } from './error-definition.ts';

export const ACCOUNT_ERRORS = {
  last_owner: defineError(
    409,
    'conflict_error',
    'Last owner',
    false,
    'An organization always has an owner. Make another member an owner first.',
  ),
  last_project: defineError(
    409,
    'conflict_error',
    'Last project',
    false,
    'An organization always has a project. Make another first, or delete the organization.',
  ),
  project_in_use: defineError(
    409,
    'conflict_error',
    'Project in use',
    false,
    'The project still has telephone numbers, which cost rent. Release them, then delete it.',
  ),
  email_taken: defineError(
    400,
    'invalid_request_error',
    'E-mail already in use',
    false,
    'There is an account with this e-mail address. Sign in instead.',
  ),
} as const;

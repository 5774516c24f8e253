import { ERRORS, type ErrorCode } from '../../../foundation/platform/errors.ts';
import type { omni } from '../../../media/wire/index.ts';

export const errorMessage = (
  code: ErrorCode,
  message: string,
  param: string | null,
  node: string | null = null,
): omni.ServerEvent => ({
  event: 'error',
  error: { message, type: ERRORS[code].type, code, param, ...(node === null ? {} : { node }) },
});

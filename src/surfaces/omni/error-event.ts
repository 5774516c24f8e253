import type { omni } from '../../media/index.ts';
import { ERRORS, type ErrorCode } from '../../platform/errors.ts';

export const errorMessage = (code: ErrorCode, message: string, param: string | null): omni.ServerEvent => ({
  event: 'error',
  error: { message, type: ERRORS[code].type, code, param },
});

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'billing_error'
  | 'rate_limit_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'server_error';

export interface ErrorDefinition {
  readonly status: number;
  readonly type: ErrorType;
  readonly title: string;
  /** Whether the same request may succeed later without being changed. */
  readonly retry: boolean;
  /** The page at the code's `type` URL shows this text. */
  readonly explanation: string;
}

export const defineError = (
  status: number,
  type: ErrorType,
  title: string,
  retry: boolean,
  explanation: string,
): ErrorDefinition => ({ status, type, title, retry, explanation });

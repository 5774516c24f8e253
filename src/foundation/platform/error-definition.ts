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
  /** Why the server answers this code. */
  readonly cause: string;
  /** The caller, or the operator, does this about it. */
  readonly remedy: string;
  /** A request that gets this code, or the message that it gets. */
  readonly example: string;
}

export const defineError = (
  status: number,
  type: ErrorType,
  title: string,
  retry: boolean,
  page: Pick<ErrorDefinition, 'cause' | 'remedy' | 'example'>,
): ErrorDefinition => ({ status, type, title, retry, ...page });

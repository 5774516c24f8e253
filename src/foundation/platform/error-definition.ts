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
  readonly retry: boolean;
  readonly cause: string;
  readonly remedy: string;
  readonly example: string;
}

export const defineError = (
  status: number,
  type: ErrorType,
  title: string,
  retry: boolean,
  page: Pick<ErrorDefinition, 'cause' | 'remedy' | 'example'>,
): ErrorDefinition => ({ status, type, title, retry, ...page });

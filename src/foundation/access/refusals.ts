import { ApiError } from '../platform/errors.ts';
import type { NetworkGrantRow } from '../storage/tables/access.ts';
import type { Entitlement, MemberRole } from './contract.ts';

/** No message repeats what the client sent. */

export const missingCredential = (what: string): ApiError =>
  new ApiError('missing_api_key', `This route needs ${what}, and the request carries no credential.`);

export const invalidCredential = (): ApiError =>
  new ApiError('invalid_api_key', 'The credential is malformed or unknown.');

export const invalidatedCredential = (what: 'revoked' | 'expired' | 'used'): ApiError =>
  new ApiError(
    'unauthorized',
    what === 'revoked'
      ? 'The credential was revoked.'
      : what === 'expired'
        ? 'The credential has expired.'
        : 'The browser token was already used: it opens only one session.',
  );

export const wrongPassword = (): ApiError =>
  new ApiError(
    'unauthorized',
    'The e-mail address or the password is wrong, or the address has not been confirmed by the link in its mail.',
  );

export const wrongKind = (needed: string): ApiError =>
  new ApiError('forbidden', `This credential is not accepted by this route, which needs ${needed}.`);

export const missingScope = (scope: string): ApiError =>
  new ApiError('forbidden', `The key lacks the scope ${scope}. GET /v1/me lists the scopes of the key.`, {
    param: scope,
  });

/** The code equals the one of a server without any carrier. */
export const notEntitled = (entitlement: Entitlement): ApiError =>
  new ApiError(
    'not_found',
    `This feature requires the entitlement ${entitlement}, which the operator grants to live keys of your organization.`,
  );

export const missingRole = (role: MemberRole): ApiError =>
  new ApiError('forbidden', `This requires the role ${role} or higher in the organization.`, {
    param: 'role',
  });

export const originNotAllowed = (message: string): ApiError =>
  new ApiError('origin_not_allowed', message, { param: 'origin' });

export const secondsOf = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

export const tooManyRequests = (
  of: 'key' | 'network',
  retryMs: number,
  headers: Record<string, string>,
): ApiError =>
  new ApiError(
    'rate_limit_exceeded',
    of === 'key'
      ? 'The key has exceeded the request rate of its plan.'
      : 'The source network of this request has exceeded the request rate for one network.',
    { retryAfter: secondsOf(retryMs), headers },
  );

export const tooManySessions = (cap: number): ApiError =>
  new ApiError('concurrency_limit_exceeded', `The limit of ${cap} concurrent live sessions is reached.`, {
    retryAfter: 1,
  });

export const dailyCapReached = (cap: number, untilResetMs: number): ApiError =>
  new ApiError(
    'daily_cap_exceeded',
    `The daily cap of ${cap} units (seconds of audio) is used up. It resets at 00:00 UTC.`,
    { retryAfter: secondsOf(untilResetMs) },
  );

export const quotaExhausted = (quota: number): ApiError =>
  new ApiError('insufficient_quota', `The plan's quota of ${quota} units a month is used up.`);

export const budgetExceeded = (): ApiError =>
  new ApiError('key_budget_exceeded', 'The key has reached its own monthly budget.');

export const creditExhausted = (): ApiError =>
  new ApiError('credit_exhausted', 'The organization has no prepaid credit left.');

export function networkCapReached(
  kind: NetworkGrantRow['kind'],
  cap: number,
  retryMs: number,
  onThisMachine: boolean,
): ApiError {
  const options = { retryAfter: secondsOf(retryMs), detailed: true };
  if (kind !== 'sandbox_key') {
    const what =
      kind === 'signup'
        ? `Account creation is limited to ${cap} accounts`
        : `Password resets are limited to ${cap} requests`;
    const message = `${what} per source network in a rolling window of 24 hours.`;
    return new ApiError('rate_limit_exceeded', message, options);
  }
  const hint = onThisMachine
    ? ' On the server’s own machine `npx trunkline keys create` makes as many keys as you like.'
    : '';
  const message = `Sandbox keys are limited to ${cap} per source network in a rolling window of 24 hours.${hint}`;
  return new ApiError('sandbox_limit_reached', message, options);
}

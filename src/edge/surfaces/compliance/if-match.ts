import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../../foundation/platform/errors.ts';

/** Returns null when any version is accepted. */
export function expectedVersion(request: FastifyRequest): number | null {
  const given = request.headers['if-match'];
  if (given === undefined || given === '*') return null;
  const bare = given.replace(/^W\//, '').replace(/^"(.*)"$/, '$1');
  const version = Number(bare);
  if (/^[1-9]\d*$/.test(bare) && Number.isSafeInteger(version)) return version;
  throw new ApiError('invalid_request', 'If-Match must be the version of the case in quotes, such as "3".', {
    param: 'if-match',
  });
}

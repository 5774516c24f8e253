import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { nestsWithin } from '../../../foundation/platform/nesting.ts';
import { noSuchVoice } from '../../../foundation/platform/no-such-voice.ts';

/** The limit is above any real document, and low enough for recursive code. */
const MOST_LEVELS = 64;
const NUL = '\0';

/** Throws for JSON that cannot be stored: PostgreSQL's text type holds no NUL, and recursion limits the nesting. */
export function checkStorable(value: unknown, source: string): void {
  if (!nestsWithin(MOST_LEVELS, value)) {
    const message = `The JSON is nested too deeply; ${MOST_LEVELS} levels of objects and lists are allowed.`;
    throw new ApiError('invalid_request', message);
  }
  // The search for the escape sequence spares most bodies the walk.
  if (source.includes('\\u0000') && holdsNul(value)) throw noNul(undefined);
}

/** Checks the path and query of a URL in the same way; an id with a NUL is unknown. */
export function registerUnstorable(app: FastifyInstance): void {
  app.addHook('preValidation', async (request: FastifyRequest) => {
    if (isNobodys(request.params)) throw unknownId(request);
    for (const [name, value] of Object.entries(request.query ?? {})) if (holdsNul(value)) throw noNul(name);
  });
}

/** The limit is above the length of any id or name of a resource. */
const LONGEST_ID = 512;

const isNobodys = (params: unknown): boolean =>
  holdsNul(params) || Object.values(params ?? {}).some((value) => String(value).length > LONGEST_ID);

/** Returns the route's error for an unknown id, which malformed ids get as well. */
export function unknownId({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): ApiError {
  const { errors } = routeOptions.config;
  if (errors?.includes('voice_not_found')) return noSuchVoice();
  return new ApiError('not_found', 'There is no such resource.');
}

export const holdsNul = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.includes(NUL)
    : typeof value === 'object' &&
      value !== null &&
      Object.entries(value).some(([name, item]) => name.includes(NUL) || holdsNul(item));

export const noNul = (param: string | undefined): ApiError =>
  new ApiError(
    'invalid_request',
    'Texts must not contain the NUL character.',
    param === undefined ? {} : { param },
  );

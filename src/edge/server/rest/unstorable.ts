import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { nestsWithin } from '../../../foundation/platform/nesting.ts';
import { noSuchVoice } from '../../../foundation/platform/no-such-voice.ts';

/** Deeper than anything that is meant, and shallow enough for whoever walks through it by recursion. */
const MOST_LEVELS = 64;
const NUL = '\0';

/** Throws for JSON that nothing here can keep: PostgreSQL's text holds no NUL, and nobody reads a thousand levels. */
export function checkStorable(value: unknown, source: string): void {
  if (!nestsWithin(MOST_LEVELS, value)) {
    const message = `Objects and lists are nested within each other at most ${MOST_LEVELS} times.`;
    throw new ApiError('invalid_request', message);
  }
  // As JSON writes it: the walk is for the few bodies that hold it.
  if (source.includes('\\u0000') && holdsNul(value)) throw noNul(undefined);
}

/** The same for what a URL brings: an id with a NUL in it is nobody's. */
export function registerUnstorable(app: FastifyInstance): void {
  app.addHook('preValidation', async (request: FastifyRequest) => {
    if (isNobodys(request.params)) throw unknownId(request);
    for (const [name, value] of Object.entries(request.query ?? {})) if (holdsNul(value)) throw noNul(name);
  });
}

/** Longer than any id or name of a resource. */
const LONGEST_ID = 512;

const isNobodys = (params: unknown): boolean =>
  holdsNul(params) || Object.values(params ?? {}).some((value) => String(value).length > LONGEST_ID);

/** What the route answers for an id that nobody has: a malformed one is no other. */
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
  new ApiError('invalid_request', 'A text holds no NUL character.', param === undefined ? {} : { param });

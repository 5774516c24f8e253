import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/errors.ts';
import { nestsWithin } from '../../platform/nesting.ts';

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
    if (holdsNul(request.params)) throw new ApiError('not_found', 'There is no such resource.');
    for (const [name, value] of Object.entries(request.query ?? {})) if (holdsNul(value)) throw noNul(name);
  });
}

export const holdsNul = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.includes(NUL)
    : typeof value === 'object' &&
      value !== null &&
      Object.entries(value).some(([name, item]) => name.includes(NUL) || holdsNul(item));

export const noNul = (param: string | undefined): ApiError =>
  new ApiError('invalid_request', 'A text holds no NUL character.', param === undefined ? {} : { param });

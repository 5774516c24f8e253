import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { hasMorePartsThan } from '../../../foundation/platform/json-parts.ts';
import { nestsWithin } from '../../../foundation/platform/nesting.ts';
import { noSuchVoice } from '../../../foundation/platform/no-such-voice.ts';

/** The limit exceeds the depth of any real document, and is low enough for recursive code. */
const MAX_NESTING_DEPTH = 64;
/** The limit exceeds the parts of the longest script that is sent line by line. */
const MAX_PARTS = 300_000;
const NUL = '\0';

/** Throws, before parsing, for JSON with so many values that parsing costs much more than its length suggests. */
export function checkParts(source: string): void {
  if (!hasMorePartsThan(MAX_PARTS, source)) return;
  const message = `The JSON has too many values; ${MAX_PARTS} lists, objects and commas are allowed.`;
  throw new ApiError('invalid_request', message);
}

/** Throws for JSON that cannot be stored: PostgreSQL's text type holds no NUL, and recursion limits the nesting. */
export function checkStorable(value: unknown, source: string): void {
  if (!nestsWithin(MAX_NESTING_DEPTH, value)) {
    const message = `The JSON is nested too deeply; ${MAX_NESTING_DEPTH} levels of objects and lists are allowed.`;
    throw new ApiError('invalid_request', message);
  }
  // The search for the escape sequence avoids walking most bodies.
  if (source.includes('\\u0000') && containsNul(value)) throw nulCharacterError(undefined);
}

/** Checks the path and query of a URL in the same way; an id with a NUL is unknown. */
export function registerStorableCheck(app: FastifyInstance): void {
  app.addHook('preValidation', async (request: FastifyRequest) => {
    if (isImpossibleId(request.params)) throw unknownIdError(request);
    for (const [name, value] of Object.entries(request.query ?? {}))
      if (containsNul(value)) throw nulCharacterError(name);
  });
}

/** The limit exceeds the length of any id or name of a resource. */
const MAX_ID_LENGTH = 512;

const isImpossibleId = (params: unknown): boolean =>
  containsNul(params) || Object.values(params ?? {}).some((value) => String(value).length > MAX_ID_LENGTH);

/** Malformed ids get the same error as unknown ones. */
export function unknownIdError({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): ApiError {
  const { errors } = routeOptions.config;
  if (errors?.includes('voice_not_found')) return noSuchVoice();
  return new NoSuchError('resource');
}

export const containsNul = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.includes(NUL)
    : typeof value === 'object' &&
      value !== null &&
      Object.entries(value).some(([name, item]) => name.includes(NUL) || containsNul(item));

export const nulCharacterError = (param: string | undefined): ApiError =>
  new ApiError(
    'invalid_request',
    'Texts must not contain the NUL character.',
    param === undefined ? {} : { param },
  );

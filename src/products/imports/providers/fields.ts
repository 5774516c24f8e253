import { ApiError } from '../../../foundation/platform/errors.ts';
import { MAX_URL_CHARACTERS } from '../../../foundation/platform/url-gate/index.ts';

type Data = Readonly<Record<string, unknown>>;

/** A larger number is in milliseconds. */
const LATEST_SECONDS = 1e11;
const LONGEST_ID = 200;

export const wrong = (field: string, message: string): ApiError =>
  new ApiError('invalid_request', `data.${field}: ${message}`, { param: `data.${field}` });

export const milliseconds = (at: number): number =>
  Math.round(Math.abs(at) < LATEST_SECONDS ? at * 1000 : at);

/** Reads Unix seconds, Unix milliseconds or ISO 8601. */
export function momentIn(data: Data, field: string): number | null {
  const said = data[field] ?? null;
  if (said === null) return null;
  const at =
    typeof said === 'number' ? milliseconds(said) : typeof said === 'string' ? Date.parse(said) : NaN;
  if (!Number.isSafeInteger(at)) throw wrong(field, 'it is not a timestamp.');
  return at;
}

export function idIn(data: Data, field: string): string {
  const said = data[field];
  const id = typeof said === 'number' && Number.isSafeInteger(said) ? String(said) : said;
  if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID)
    throw wrong(
      field,
      `the ID of the call must be a number or a string of at most ${LONGEST_ID} characters.`,
    );
  return id;
}

export function urlIn(data: Data, field: string): string | null {
  const said = data[field] ?? null;
  if (said === null || said === '') return null;
  if (typeof said !== 'string' || said.length > MAX_URL_CHARACTERS || !URL.canParse(said))
    throw wrong(field, `it is not a URL of at most ${MAX_URL_CHARACTERS} characters.`);
  return said;
}

/** Returns the number as dialed, without separators; null for a withheld number or none. */
export function numberIn(data: Data, field: string): string | null {
  const said = data[field];
  if (typeof said !== 'string') return null;
  const digits = said.replace(/[\s().-]/g, '');
  return /^\+?\d{3,15}$/.test(digits) ? digits : null;
}

export function directionIn(data: Data): 'inbound' | 'outbound' | null {
  const said = data.direction ?? null;
  if (said === null || said === 'inbound' || said === 'outbound') return said;
  throw wrong('direction', 'it must be inbound or outbound.');
}

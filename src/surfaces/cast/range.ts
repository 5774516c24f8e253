import { ApiError } from '../../platform/errors.ts';

export interface Range {
  readonly first: number;
  readonly last: number;
}

const ONE = /^bytes=(?<first>\d{0,15})-(?<last>\d{0,15})$/u;

/** Both ends count. Null: all of it is wanted, as it is of several ranges and of units that are not bytes. */
export function rangeOf(header: string | undefined, bytes: number): Range | null {
  const { first = '', last = '' } = ONE.exec(header ?? '')?.groups ?? {};
  if (first === '' && last === '') return null;
  const range =
    first === ''
      ? { first: Math.max(0, bytes - Number(last)), last: bytes - 1 }
      : { first: Number(first), last: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) };
  if (range.first > range.last || range.first >= bytes) {
    throw new ApiError('range_not_satisfiable', `The file has ${bytes} bytes.`, {
      headers: { 'content-range': `bytes */${bytes}` },
    });
  }
  return range;
}

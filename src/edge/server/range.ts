import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../foundation/platform/errors.ts';

/** Both ends are inclusive. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

export interface RangedFile {
  readonly bytes: number;
  readonly headers: Readonly<Record<string, string>>;
  open(range: Range | null): Promise<Readable>;
}

export async function sendRange(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, headers, open }: RangedFile,
): Promise<FastifyReply> {
  const range = parseRangeHeader(request.headers.range, bytes);
  const stream = await open(range);
  reply.headers({ ...headers, 'accept-ranges': 'bytes' });
  if (range === null) return reply.header('content-length', String(bytes)).send(stream);
  const { first, last } = range;
  reply.code(206).header('content-range', `bytes ${first}-${last}/${bytes}`);
  return reply.header('content-length', String(last - first + 1)).send(stream);
}

/**
 * Parses a single range of RFC 9110. Returns null, which means the whole file, for malformed and multiple ranges too.
 */
export function parseRangeHeader(header: string | undefined, bytes: number): Range | null {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return null;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null;
  const first = from === '' ? Math.max(0, bytes - Number(to)) : Number(from);
  if (first >= bytes || (from === '' && Number(to) === 0)) {
    throw new ApiError('range_not_satisfiable', `The file has ${bytes} bytes.`, {
      headers: { 'content-range': `bytes */${bytes}` },
    });
  }
  return { first, last: from === '' || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1) };
}

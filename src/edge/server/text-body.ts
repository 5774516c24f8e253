import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../foundation/platform/errors.ts';

export interface TextBody {
  readonly type: string;
  readonly maxBytes: number;
  /** The name of the body in errors. */
  readonly param: string;
}

export const hasType = ({ headers }: FastifyRequest, type: string): boolean =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === type;

/** Reads the body of a route with `config.bytes`, which is a text of this type. */
export async function readTextBody(
  request: FastifyRequest,
  { type, maxBytes, param }: TextBody,
): Promise<string> {
  const { body } = request;
  if (!hasType(request, type)) throw new ApiError('unsupported_media_type', `this route requires ${type}`);
  if (!(body instanceof Readable)) throw new ApiError('invalid_request', 'the body is empty', { param });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new ApiError('payload_too_large', `the body can have at most ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';

export class StaticFile {
  readonly #plain: Buffer;
  readonly #small: Buffer | null;
  readonly #etag: string;

  constructor(plain: Buffer, small: Buffer | null = null) {
    this.#plain = plain;
    this.#small = small;
    this.#etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  }

  static read(path: string): StaticFile | null {
    if (!existsSync(path)) return null;
    const packed = `${path}.br`;
    return new StaticFile(readFileSync(path), existsSync(packed) ? readFileSync(packed) : null);
  }

  /** The caller sets the content type and every other header first. */
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { 'if-none-match': known, 'accept-encoding': takes = '' } = request.headers;
    reply.header('etag', this.#etag);
    if (this.#small !== null) reply.header('vary', 'accept-encoding');
    if (known === this.#etag) return reply.code(304).send();
    if (this.#small === null || !/\bbr\b/.test(String(takes))) return reply.send(this.#plain);
    return reply.header('content-encoding', 'br').send(this.#small);
  }
}

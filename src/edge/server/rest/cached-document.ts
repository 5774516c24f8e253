import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const gzipAsync = promisify(gzip);

interface RenderedDocument {
  readonly baseUrl: string;
  readonly plain: Buffer;
  readonly small: Promise<Buffer>;
}

export class CachedDocument {
  readonly #make: (baseUrl: string) => string;
  #made: RenderedDocument | null = null;

  constructor(make: (baseUrl: string) => string) {
    this.#make = make;
  }

  async send(request: FastifyRequest, reply: FastifyReply, baseUrl: string): Promise<FastifyReply> {
    const { plain, small } = this.#of(baseUrl);
    reply.header('vary', 'accept-encoding');
    if (!takesGzip(request.headers['accept-encoding'])) return reply.send(plain);
    return reply.header('content-encoding', 'gzip').send(await small);
  }

  #of(baseUrl: string): RenderedDocument {
    if (this.#made?.baseUrl !== baseUrl) {
      const plain = Buffer.from(this.#make(baseUrl));
      this.#made = { baseUrl, plain, small: gzipAsync(plain) };
    }
    return this.#made;
  }
}

/** Respects `gzip;q=0`, which rejects the encoding. */
const takesGzip = (accepted: string | string[] | undefined): boolean =>
  String(accepted ?? '')
    .split(',')
    .some((one) => /^\s*gzip\s*(;\s*q\s*=\s*(1|0\.\d*[1-9]).*)?$/i.test(one));

// @requirement API contract: Deep JSON, `%00`, malformed ids and proxy headers are refused.
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import type { Surface } from '../../../src/edge/server/surface.ts';
import { RawConnection } from './fixtures/raw-connection.ts';
import { bearer, start } from './fixtures/start.ts';

const BLOCK = Buffer.alloc(64 * 1024, 'x');

class Source {
  produced = 0;
  destroyed = false;
  stream(blocks: number): Readable {
    const self = this;
    return new Readable({
      read() {
        if (self.produced >= blocks * BLOCK.length) {
          this.push(null);
          return;
        }
        self.produced += BLOCK.length;
        this.push(BLOCK);
      },
      destroy(error, done) {
        self.destroyed = true;
        done(error);
      },
    });
  }
}

function streaming(source: Source): Surface {
  const config = { access: { kind: 'public' } } as const;
  const Query = Type.Object({ blocks: Type.Integer(), length: Type.Optional(Type.Boolean()) });
  return {
    name: 'streaming',
    routes: (app) => {
      app.get('/stream', {
        config,
        schema: { querystring: Query },
        handler: async (request, reply) => {
          const { blocks, length } = request.query as { blocks: number; length?: boolean };
          if (length) reply.header('content-length', blocks * BLOCK.length);
          return reply.type('application/octet-stream').send(source.stream(blocks));
        },
      });
      app.post('/echo', {
        config,
        schema: { body: Type.Unknown() },
        handler: async (request) => ({ body: request.body, type: request.headers['content-type'] ?? null }),
      });
      app.get('/address', {
        config,
        handler: async (request) => ({ ip: request.ip, size: request.headers.big?.length }),
      });
      app.delete('/thing', { config, handler: async (_request, reply) => reply.code(204).send() });
      app.get('/later', {
        config,
        handler: async () => {
          await new Promise((resolve) => setImmediate(resolve));
          return { late: true };
        },
      });
      app.post('/guarded', { config: { access: { kind: 'key' } }, handler: async () => ({ ok: true }) });
      app.get('/fails-late', {
        config,
        handler: async (_request, reply) =>
          reply.send(
            Readable.from(
              (async function* () {
                yield BLOCK;
                throw new Error('the source broke');
              })(),
            ),
          ),
      });
    },
  };
}

async function serve() {
  const source = new Source();
  return {
    source,
    ...(await start({ surfaces: [streaming(source)], config: { trustedProxies: ['127.0.0.1'] } })),
  };
}

const get = (path: string, extra = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${extra}\r\n`;

describe('a streamed answer', () => {
  it.each([
    ['chunked', ''],
    ['with its length', '&length=true'],
  ])('arrives whole, %s', async (_how, query) => {
    const { url } = await serve();
    const response = await fetch(`${url}/stream?blocks=160${query}`);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.length).toBe(160 * BLOCK.length);
    expect(response.headers.get('content-length')).toBe(query ? String(160 * BLOCK.length) : null);
  });

  it.each([
    ['chunked', ''],
    ['with its length', '&length=true'],
  ])('holds its source back while the reader is slow, %s', async (_how, query) => {
    const { source, port } = await serve();
    const reader = await RawConnection.open(port);
    reader.socket.pause();
    reader.write(get(`/stream?blocks=4096${query}`));
    let before = -1;
    // Once the kernel's buffers are full, the server must not produce more.
    await expect
      .poll(
        () => {
          const still = source.produced === before && source.produced > 0;
          before = source.produced;
          return still;
        },
        { interval: 100 },
      )
      .toBe(true);
    expect(source.produced).toBeLessThan(32 * 1024 * 1024);
    reader.socket.resume();
    reader.socket.removeAllListeners('data');
    await new Promise<void>((resolve) => {
      let received = 0;
      reader.socket.on('data', (chunk) => {
        received += chunk.length;
        if (received > 4096 * BLOCK.length) resolve();
      });
    });
    reader.socket.destroy();
  });

  it('destroys its source when the reader leaves', async () => {
    const { source, port, server } = await serve();
    const reader = await RawConnection.open(port);
    reader.socket.pause();
    reader.write(get('/stream?blocks=100000'));
    await expect.poll(() => source.produced).toBeGreaterThan(0);
    reader.socket.destroy();
    await expect.poll(() => source.destroyed).toBe(true);
    await expect.poll(() => server.activeRequests()).toBe(0);
  });

  it('is cut, not ended, when its source breaks', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/fails-late`);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });
});

describe('a connection', () => {
  it('serves one request after the other', async () => {
    const { port } = await serve();
    const peer = await RawConnection.open(port);
    for (let i = 0; i < 5; i++) {
      peer.write(get('/healthz'));
      const { status, head, body } = await peer.response();
      expect(status).toBe(200);
      expect(head).toMatch(/x-request-id: req_/);
      expect(JSON.parse(body)).toEqual({ status: 'ok' });
    }
    expect(peer.closed).toBe(false);
    peer.socket.destroy();
  });

  it('answers pipelined requests in their order', async () => {
    const { port } = await serve();
    const peer = await RawConnection.open(port);
    peer.write(get('/healthz') + get('/address') + get('/healthz'));
    expect((await peer.response()).body).toMatch(/"ok"/);
    expect((await peer.response()).body).toMatch(/"ip"/);
    expect((await peer.response()).body).toMatch(/"ok"/);
    peer.socket.destroy();
  });

  it('is closed rather than mixing answers up when one is still pending as the next request comes', async () => {
    const { port, server } = await serve();
    const peer = await RawConnection.open(port);
    peer.write(get('/later') + get('/healthz'));
    expect(await peer.untilClosed()).toBe('');
    await expect.poll(() => server.activeRequests()).toBe(0);
  });

  it('is closed when the client asks for it', async () => {
    const { port } = await serve();
    const peer = await RawConnection.open(port);
    peer.write(get('/healthz', 'connection: close\r\n'));
    expect(await peer.untilClosed()).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it('goes on after a refusal that came before the body was read', async () => {
    const { port } = await serve();
    const peer = await RawConnection.open(port);
    const size = 3_000_000;
    peer.write(
      `POST /guarded HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${size}\r\n\r\n`,
    );
    const refused = await peer.response();
    expect(refused.status).toBe(401);
    peer.write(Buffer.alloc(size, ' '));
    peer.write(get('/healthz'));
    expect((await peer.response()).status).toBe(200);
    peer.socket.destroy();
  });

  it('answers HEAD with the length and no body', async () => {
    const { port } = await serve();
    const peer = await RawConnection.open(port);
    peer.write('HEAD /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const text = await peer.untilClosed();
    expect(text).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(text).toMatch(/content-length: 15\r\n/i);
    expect(text.endsWith('\r\n\r\n')).toBe(true);
  });

  it('answers 204 without a body or a length', async () => {
    const { port } = await serve();
    const peer = await RawConnection.open(port);
    peer.write('DELETE /thing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const text = await peer.untilClosed();
    expect(text).toMatch(/^HTTP\/1\.1 204 No Content/);
    expect(text).not.toMatch(/content-length|transfer-encoding/i);
  });
});

describe('a request', () => {
  it('may come in chunks', async () => {
    const { port } = await serve();
    const peer = await RawConnection.open(port);
    peer.write(
      'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    );
    peer.write('7\r\n{"a":1,\r\n');
    peer.write('6\r\n"b":2}\r\n0\r\n\r\n');
    expect(JSON.parse((await peer.response()).body)).toMatchObject({ body: { a: 1, b: 2 } });
    peer.socket.destroy();
  });

  it('is told to go on when it expects to be', async () => {
    const { url } = await serve();
    const request = httpRequest(`${url}/echo`, {
      method: 'POST',
      headers: { expect: '100-continue', 'content-type': 'application/json', 'content-length': 2 },
    });
    request.flushHeaders();
    await once(request, 'continue');
    request.end('{}');
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  it('may have large headers, in pieces too, up to a limit', async () => {
    const { port } = await serve();
    const peer = await RawConnection.open(port);
    const text = get('/address', `big: ${'a'.repeat(14_000)}\r\n`);
    peer.write(text.slice(0, 7000));
    await new Promise((resolve) => setImmediate(resolve));
    peer.write(text.slice(7000));
    expect(JSON.parse((await peer.response()).body)).toMatchObject({ size: 14_000 });
    peer.write(get('/address', `big: ${'a'.repeat(40_000)}\r\n`));
    const refused = await peer.untilClosed();
    expect(refused).toMatch(/^HTTP\/1\.1 431 /);
    expect(refused).toMatch(/\r\nx-request-id: req_/);
    expect(JSON.parse(refused.split('\r\n\r\n')[1]!)).toMatchObject({
      status: 431,
      error: { code: 'headers_too_large' },
    });
  });

  it('may name its headers with every letter that names may have', async () => {
    const { port } = await serve();
    const peer = await RawConnection.open(port);
    peer.write(get('/healthz', "x_a.b+c|d!#$%&'*^`~: 1\r\n"));
    expect((await peer.response()).status).toBe(200);
    peer.socket.destroy();
  });

  it.each([
    ['two lengths', 'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    [
      'length and chunks',
      'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['two hosts', 'GET /healthz HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n'],
    ['a broken chunk', 'POST /echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n'],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['a space in a header name', get('/healthz', 'a b: c\r\n')],
    ['a space before a colon', get('/healthz', 'a : c\r\n')],
    ['a control character in a header', get('/healthz', 'a: \x01\r\n')],
    ['a header on two lines', get('/healthz', 'a: b\r\n c\r\n')],
    ['a negative length', 'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n'],
  ])('with %s is refused and the connection closed', async (_what, bytes) => {
    const { port } = await serve();
    const peer = await RawConnection.open(port);
    peer.write(bytes);
    expect(await peer.untilClosed()).toMatch(/^(HTTP\/1\.1 400|$)/);
  });

  it('has the address that the trusted proxy saw', async () => {
    const { url } = await serve();
    const ip = async (forwarded: string) =>
      (
        (await (await fetch(`${url}/address`, { headers: { 'x-forwarded-for': forwarded } })).json()) as {
          ip: string;
        }
      ).ip;
    expect(await ip('203.0.113.9')).toBe('203.0.113.9');
    expect(await ip('198.51.100.1, 203.0.113.9')).toBe('203.0.113.9');
    expect(await ip('203.0.113.9:50123')).toBe('203.0.113.9');
    expect(await ip('[2001:db8::9]:50123')).toBe('2001:db8::9');
    expect(await ip('[2001:db8::9]')).toBe('2001:db8::9');
    expect(await ip('203.0.113.9:50123, 127.0.0.1:4')).toBe('203.0.113.9');
    for (const nonsense of ['someone', '203.0.113.9:x', '[203.0.113.9', '', '\u00a0'])
      expect(await ip(nonsense), nonsense).toBe('127.0.0.1');
  });

  it('with a credential in vain is still one request', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/guarded`, { method: 'POST', headers: bearer });
    expect(response.status).toBe(200);
  });

  it('refuses a port that is taken', async () => {
    const { port } = await serve();
    await expect(start({ config: { port } })).rejects.toThrow(/port is taken/);
  });
});

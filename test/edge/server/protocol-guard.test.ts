import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Surface } from '../../../src/edge/server/surface.ts';
import { numbers } from '../../faults/damaged-files.ts';
import { RawConnection } from './fixtures/raw-connection.ts';
import { frame, keyHeader, rawSocket, serve, upgrade } from './fixtures/sockets.ts';
import { start } from './fixtures/start.ts';

const closing = (code: number): string => Buffer.from([0x88, 2, code >> 8, code & 255]).toString('latin1');
const bare = frame(0x2, 'bare', { masked: false });

const lookalike: Surface = {
  name: 'lookalike',
  routes: (app) => {
    app.get('/v1/lookalike', {
      config: { access: { kind: 'public' } },
      handler: (_request, reply) => {
        const piece = Buffer.alloc(64 * 1024, ' ');
        piece.write('HTTP/1.1 101 Switching Protocols\r\n');
        const pieces = Readable.from([Buffer.alloc(64 * 1024, 'x'), piece, piece]);
        return reply
          .header('content-type', 'text/plain')
          .header('content-length', 3 * piece.length)
          .send(pieces);
      },
    });
  },
};

/** A ping between the bytes that a test compares would come on a busy machine. */
const UNPINGED = { idleSeconds: 960 };

describe('the guard of sockets', () => {
  it('has what came before a text that is none answered, then tells why', async () => {
    const { port, echo } = await serve(undefined, UNPINGED);
    for (const bad of [
      frame(0x1, Buffer.from([0x61, 0xff])),
      Buffer.concat([frame(0x1, Buffer.from([0xce]), { fin: false }), frame(0x0, Buffer.from([0xff]))]),
      Buffer.concat([frame(0x1, Buffer.from([0xce]), { fin: false }), frame(0x0, '')]),
    ]) {
      const peer = await rawSocket(port);
      peer.write(Buffer.concat([frame(0x1, 'good'), bad, frame(0x1, 'more')]));
      expect(await peer.untilClosed()).toBe(`\x81\x04good${closing(1007)}`);
    }
    await expect.poll(() => echo.closed).toEqual([1007, 1007, 1007]);
  });

  it('takes a text that comes in pieces, and tells of one that is none with its last byte', async () => {
    const { port, echo } = await serve(undefined, UNPINGED);
    const peer = await rawSocket(port);
    peer.socket.setNoDelay(true);
    const send = async (bytes: Buffer, pieces: number): Promise<void> => {
      for (let at = 0; at < pieces; at++) {
        const from = Math.floor((at * bytes.length) / pieces);
        peer.write(bytes.subarray(from, Math.floor(((at + 1) * bytes.length) / pieces)));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const text = '€'.repeat(10_000);
    await send(Buffer.concat([frame(0x1, text), frame(0x9, 'asked'), frame(0x2, 'next')]), 7);
    await peer.until((one) => one.includes('next'));
    const length = Buffer.byteLength(text);
    const head = Buffer.from([0x81, 126, length >> 8, length & 255]);
    expect(peer.received).toEqual(
      Buffer.concat([head, Buffer.from(text), Buffer.from('\x8a\x05asked\x82\x04next', 'latin1')]),
    );
    peer.received = Buffer.alloc(0);
    await send(frame(0x1, Buffer.concat([Buffer.from(text), Buffer.from([0xe2, 0x82])])), 7);
    expect(await peer.untilClosed()).toBe(closing(1007));
    await expect.poll(() => echo.closed).toEqual([1007]);
  });

  it('lets who goes on sending read why, and resets no connection', async () => {
    const { port, echo } = await serve(undefined, UNPINGED);
    const peer = await rawSocket(port);
    const errors: string[] = [];
    peer.socket.on('error', (error) => errors.push((error as NodeJS.ErrnoException).code ?? ''));
    peer.write(Buffer.concat([frame(0x2, 'good'), bare]));
    for (let at = 0; at < 64; at++) peer.write(Buffer.alloc(64 * 1024, 1));
    expect(await peer.untilClosed()).toBe(`\x82\x04good${closing(1002)}`);
    expect(errors).toEqual([]);
    expect(echo.closed).toEqual([1002]);
  });

  it('says why behind all that waits for a slow reader, never in the middle of it', async () => {
    const { port, echo } = await serve(undefined, UNPINGED);
    const peer = await rawSocket(port);
    peer.socket.pause();
    const waiting = Buffer.alloc(8 * 1024 * 1024, 7);
    expect(echo.opened[0]!.send(waiting)).toBe(false);
    peer.write(bare);
    await expect.poll(() => echo.closed).toEqual([1002]);
    peer.socket.resume();
    await peer.untilClosed();
    expect(peer.received.length).toBe(10 + waiting.length + 4);
    expect(peer.received.subarray(-4).toString('latin1')).toBe(closing(1002));
    expect(peer.received.subarray(10, -4).equals(waiting)).toBe(true);
  });

  it('leaves a connection alone whose answer looks like that to an upgrade', async () => {
    const { port } = await start({ surfaces: [lookalike] });
    const peer = await RawConnection.open(port);
    for (let round = 0; round < 2; round++) {
      peer.write('GET /v1/lookalike HTTP/1.1\r\nhost: x\r\n\r\n');
      const answer = await peer.response();
      expect(answer.status).toBe(200);
      expect(answer.body).toContain('HTTP/1.1 101 Switching Protocols');
    }
    peer.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    expect((await peer.response()).status).toBe(200);
    peer.socket.destroy();
  });

  it('tells each of many clients what is right for it, on descriptors that requests used before and after', async () => {
    const { port } = await serve(undefined, UNPINGED);
    const next = numbers(18);
    const below = (most: number) => Math.floor(next() * most);
    const faults = [
      { bytes: bare, code: 1002 },
      { bytes: frame(0x1, Buffer.from([0xff])), code: 1007 },
      { bytes: frame(0x0, 'rest'), code: 1002 },
      { bytes: frame(0x8, Buffer.from([0x0f, 0xa0])), code: 4000 },
    ];
    const visit = async (): Promise<void> => {
      if (next() < 0.3) {
        const asking = await RawConnection.open(port);
        for (let round = 0; round < 3; round++) {
          asking.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
          expect((await asking.response()).status).toBe(200);
        }
        asking.socket.destroy();
        await asking.untilClosed();
        return;
      }
      const peer = await rawSocket(port);
      peer.socket.setNoDelay(true);
      const texts = Array.from({ length: 1 + below(5) }, () => 'é'.repeat(below(60)));
      const fault = faults[below(faults.length)]!;
      const bytes = Buffer.concat([...texts.map((text) => frame(0x1, text)), fault.bytes]);
      for (let from = 0; from < bytes.length; ) {
        const to = from + 1 + below(40);
        peer.write(bytes.subarray(from, to));
        from = to;
        await new Promise((resolve) => setImmediate(resolve));
      }
      const echoed = texts.map((text) => {
        const body = Buffer.from(text);
        return Buffer.concat([Buffer.from([0x81, body.length]), body]).toString('latin1');
      });
      expect(await peer.untilClosed()).toBe(echoed.join('') + closing(fault.code));
    };
    for (let round = 0; round < 15; round++) await Promise.all(Array.from({ length: 20 }, visit));
  });

  it('guards no bytes that come before the answer to the upgrade, and falls over none', async () => {
    const { port } = await serve(undefined, UNPINGED);
    const peer = await RawConnection.open(port);
    peer.write(Buffer.concat([Buffer.from(upgrade('/v1/echo', keyHeader)), frame(0x2, 'early')]));
    await peer.until((text) => text.includes('\r\n\r\n'));
    peer.socket.destroy();
    const other = await rawSocket(port);
    other.write(frame(0x2, 'served'));
    await other.until((text) => text.includes('served'));
    other.socket.destroy();
  });
});

import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { OneKeyAccess } from './fixtures/access.ts';
import { EchoSurface, FRAME_LIMIT } from './fixtures/echo.ts';
import { RawConnection } from './fixtures/raw-connection.ts';
import { frame, keyHeader, rawSocket, serve, upgrade } from './fixtures/sockets.ts';
import { bearer, start } from './fixtures/start.ts';

describe('an open socket', () => {
  it('joins fragments, also around a ping, and answers the ping', async () => {
    const { port } = await serve();
    const peer = await rawSocket(port);
    peer.write(frame(0x2, 'one ', { fin: false }));
    peer.write(frame(0x9, 'are you there'));
    peer.write(frame(0x0, 'two ', { fin: false }));
    peer.write(frame(0x0, 'three'));
    const text = await peer.until((one) => one.includes('three'));
    expect(text).toContain('\x8a\x0dare you there');
    expect(text).toContain('\x82\x0done two three');
    peer.socket.destroy();
  });

  it('takes frames cut at every byte', async () => {
    const { port } = await serve();
    const peer = await rawSocket(port);
    peer.socket.setNoDelay(true);
    for (const byte of frame(0x2, 'byte by byte')) {
      peer.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await peer.until((one) => one.includes('byte by byte'));
    peer.socket.destroy();
  });

  const closing = (code: number): Buffer => Buffer.from([0x88, 2, code >> 8, code & 255]);
  const reserved = (bits: number): Buffer =>
    Buffer.concat([Buffer.from([0x82 | (bits << 4)]), frame(0x2, 'x').subarray(1)]);
  it.each([
    ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((opcode) => [
      `the unknown opcode ${opcode}`,
      frame(opcode, 'x'),
      1002,
    ]),
    ...[1, 2, 3, 4, 5, 6, 7].map((bits) => [`the reserved bits ${bits}`, reserved(bits), 1002]),
    ['a frame without a mask', frame(0x2, 'bare', { masked: false }), 1002],
    ['a continuation of nothing', frame(0x0, 'rest'), 1002],
    [
      'a whole binary message inside a fragmented one',
      Buffer.concat([frame(0x2, 'a', { fin: false }), frame(0x2, 'b')]),
      1002,
    ],
    [
      'the beginning of a binary message inside a fragmented one',
      Buffer.concat([frame(0x2, 'a', { fin: false }), frame(0x2, 'b', { fin: false })]),
      1002,
    ],
    [
      'a new text inside a fragmented one',
      Buffer.concat([frame(0x1, 'a', { fin: false }), frame(0x1, 'b')]),
      1002,
    ],
    ['a fragmented ping', frame(0x9, 'x', { fin: false }), 1002],
    ['a ping of 126 bytes', frame(0x9, 'x'.repeat(126)), 1002],
    ['a close frame with a code that may not be sent', frame(0x8, Buffer.from([0x03, 0xee])), 1002],
    ['text that is not UTF-8', frame(0x1, Buffer.from([0xc3, 0x28])), 1007],
    [
      'text that is not UTF-8 across fragments',
      Buffer.concat([frame(0x1, Buffer.from([0xce]), { fin: false }), frame(0x0, Buffer.from([0xff]))]),
      1007,
    ],
    [
      'a message beyond every limit',
      Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3, 4]),
      1009,
    ],
  ] as [string, Buffer, number][])(
    'is closed by %s, and both sides are told why',
    async (_what, bytes, code) => {
      const { port, echo } = await serve();
      const peer = await rawSocket(port);
      peer.write(bytes);
      expect(Buffer.from(await peer.untilClosed(), 'latin1')).toEqual(closing(code));
      await expect.poll(() => echo.closed).toEqual([code]);
    },
  );

  it('answers what came before the frame that breaks the rules, however it is cut, and takes nothing of that', async () => {
    const { port, echo } = await serve();
    const good = frame(0x2, 'good');
    const bare = frame(0x2, 'bare', { masked: false });
    for (const cut of [good.length - 1, good.length, good.length + 1, good.length + 2]) {
      const peer = await rawSocket(port);
      peer.socket.setNoDelay(true);
      const bytes = Buffer.concat([good, bare, frame(0x2, 'more')]);
      peer.write(bytes.subarray(0, cut));
      await new Promise((resolve) => setImmediate(resolve));
      peer.write(bytes.subarray(cut));
      expect(await peer.untilClosed()).toBe(`\x82\x04good${closing(1002).toString('latin1')}`);
    }
    await expect.poll(() => echo.closed).toEqual([1002, 1002, 1002, 1002]);
  });

  it('is closed with 1009 by a frame over the limit of its route', async () => {
    const { ws, echo } = await serve();
    const socket = new WebSocket(`${ws}/v1/echo`, { headers: bearer });
    await once(socket, 'open');
    socket.send(Buffer.alloc(FRAME_LIMIT));
    expect((await once(socket, 'message'))[0]).toHaveLength(FRAME_LIMIT);
    socket.send(Buffer.alloc(FRAME_LIMIT + 1));
    const last = once(socket, 'message');
    expect((await once(socket, 'close'))[0]).toBe(1009);
    expect(String((await last)[0])).toBe('closing 1009');
    expect(echo.closed).toEqual([1009]);
  });

  it('tells its handler once who closed and with which code', async () => {
    const { ws, echo, port } = await serve();
    const open = async () => {
      const socket = new WebSocket(`${ws}/v1/echo`, { headers: bearer });
      await once(socket, 'open');
      return socket;
    };
    const client = await open();
    client.close(4000, 'bye');
    await expect.poll(() => echo.closed).toEqual([4000]);
    const server = await open();
    server.send('close');
    expect((await once(server, 'close'))[0]).toBe(4429);
    const failing = await open();
    failing.send('fail');
    expect((await once(failing, 'close'))[0]).toBe(1011);
    const vanishing = await open();
    vanishing.terminate();
    await expect.poll(() => echo.closed).toEqual([4000, 4429, 1011, 1006]);
    const halfClosed = await rawSocket(port);
    halfClosed.socket.end();
    await expect.poll(() => echo.closed).toHaveLength(5);
    await halfClosed.untilClosed();
  });

  it('is closed with 4401 when its credential dies, and stops watching when it ends', async () => {
    const { ws, access } = await serve();
    const socket = new WebSocket(`${ws}/v1/echo`, { headers: bearer });
    await once(socket, 'open');
    expect(access.watchers).toBe(1);
    access.revoke();
    expect((await once(socket, 'close'))[0]).toBe(4401);
    expect(access.watchers).toBe(0);
  });

  it('answers false for a slow reader, tells when the queue has emptied, and cuts one that never reads', async () => {
    const { port, echo } = await serve();
    const peer = await rawSocket(port);
    peer.socket.pause();
    const [socket] = echo.opened;
    const block = Buffer.alloc(256 * 1024);
    let sent = 0;
    while (socket!.send(block)) sent++;
    expect(sent).toBeLessThan(100);
    expect(socket!.bufferedBytes).toBeGreaterThan(0);
    peer.socket.resume();
    await expect.poll(() => echo.drained).toBe(1);
    expect(socket!.bufferedBytes).toBe(0);
    peer.socket.pause();
    for (let i = 0; i < 200 && echo.closed.length === 0; i++) socket!.send(block);
    expect(echo.closed).toEqual([1013]);
    expect(socket!.bufferedBytes).toBe(0);
    peer.socket.destroy();
  });

  it('cuts a reader that is too far behind though all that was sent has left, and no other', async () => {
    const clock = new ManualClock();
    const echo = new EchoSurface({ maxReadLagSeconds: 10 });
    const { url } = await start({ surfaces: [echo], access: new OneKeyAccess(), clock });
    const open = async () => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/echo`, { headers: bearer });
      await once(socket, 'open');
      return socket;
    };
    const [reading, stalled] = [await open(), await open()];
    const [ours, theirs] = echo.opened;
    stalled.pause();
    for (let second = 0; second <= 10; second++) {
      expect(theirs!.send(Buffer.alloc(640))).toBe(true);
      const pinged = once(reading, 'ping');
      ours!.send(Buffer.alloc(640));
      expect(String((await pinged)[0])).toBe(String(second + 1));
      const echoed = once(reading, 'message', { signal: AbortSignal.timeout(5_000) });
      reading.send('hello');
      await echoed;
      if (second < 10) clock.advance(1_000);
    }
    expect(theirs!.bufferedBytes).toBe(0);
    expect(echo.closed).toEqual([]);
    clock.advance(1);
    theirs!.send(Buffer.alloc(640));
    expect(echo.closed).toEqual([1013]);
    clock.advance(60_000);
    expect(ours!.send(Buffer.alloc(640))).toBe(true);
    expect(echo.closed).toEqual([1013]);
    for (const socket of [reading, stalled]) socket.terminate();
  });

  it('counts frames, bytes and closes', async () => {
    const { ws, url } = await serve();
    const socket = new WebSocket(`${ws}/v1/echo`, { headers: bearer });
    await once(socket, 'open');
    socket.send(Buffer.alloc(640));
    await once(socket, 'message');
    const live = await (await fetch(`${url}/metrics`)).text();
    expect(live).toContain('trunkline_sockets{path="/v1/echo"} 1');
    expect(live).toContain('trunkline_socket_bytes_total{path="/v1/echo",direction="in"} 640');
    socket.close(1000);
    await once(socket, 'close');
    const after = await (await fetch(`${url}/metrics`)).text();
    expect(after).toContain('trunkline_sockets{path="/v1/echo"} 0');
    expect(after).toContain('trunkline_socket_seconds_count{path="/v1/echo",code="1000"} 1');
  });
});

describe('drain', () => {
  it('refuses what is new, lets what lives finish, then closes with 1001', async () => {
    const { ws, url, port, server, echo } = await serve();
    const staying = new WebSocket(`${ws}/v1/echo`, { headers: bearer });
    const leaving = new WebSocket(`${ws}/v1/echo`, { headers: bearer });
    await Promise.all([once(staying, 'open'), once(leaving, 'open')]);
    const closed = once(staying, 'close');
    const drained = server.drain(1);
    expect(echo.draining).toBe(2);
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ status: 'draining' });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/docs`)).status).toBe(200);
    const peer = await RawConnection.open(port);
    peer.write(upgrade('/v1/echo', keyHeader));
    const refused = await peer.response();
    expect(refused.status).toBe(503);
    expect(refused.head).toMatch(/retry-after: \d/i);
    leaving.send('still served');
    expect((await once(leaving, 'message'))[0].toString()).toBe('still served');
    leaving.close();
    expect((await closed)[0]).toBe(1001);
    await drained;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  it('ends at once when nothing lives', async () => {
    const { server } = await serve();
    const before = performance.now();
    await server.drain(60);
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import type { Surface } from '../../../src/edge/server/surface.ts';
import { bearer, start } from './fixtures/start.ts';

const MIB = 1024 ** 2;
const SENT = 512 * MIB;
/** The first 128 MiB are read at full speed so that the kernel opens the connection's window fully. */
const WIDENING = 128 * MIB;
const MOST_HELD = MIB;

const SENDER = `
const { connect } = require('node:net');
const { workerData } = require('node:worker_threads');
const socket = connect(workerData.port, '127.0.0.1');
socket.write(workerData.head);
const piece = Buffer.alloc(1024 ** 2, 1);
let left = workerData.bytes;
const go = () => { while (left > 0) { left -= piece.length; if (!socket.write(piece)) return socket.once('drain', go); } };
go();
socket.resume();
`;

interface Body {
  readonly held: number;
  read(until: number): Promise<number>;
}

function bodyOf(raw: IncomingMessage, done: (total: number) => void): Body {
  let bytes = 0;
  return {
    get held() {
      return raw.readableLength;
    },
    read: (until) =>
      new Promise((resolve) => {
        raw.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes < until) return;
          raw.pause().removeAllListeners('data');
          if (bytes === SENT) done(bytes);
          resolve(bytes);
        });
        raw.resume();
      }),
  };
}

function heldSurface(seen: (body: Body) => void): Surface {
  return {
    name: 'held',
    routes: (app) => {
      app.addContentTypeParser('application/octet-stream', (_request, _body, done) => done(null));
      app.post('/v1/held', { config: { access: { kind: 'public' } } }, async ({ raw }) => {
        const total = await new Promise<number>((resolve) => seen(bodyOf(raw, resolve)));
        return { total };
      });
    },
  };
}

it('holds back a sender whom nobody reads, and loses nothing', async () => {
  let seen!: (body: Body) => void;
  const body = new Promise<Body>((resolve) => {
    seen = resolve;
  });
  const { port } = await start({ surfaces: [heldSurface(seen)] });
  const head =
    `POST /v1/held HTTP/1.1\r\nhost: a\r\nauthorization: ${bearer.authorization}\r\n` +
    `content-type: application/octet-stream\r\ncontent-length: ${SENT}\r\n\r\n`;
  const sender = new Worker(SENDER, { eval: true, workerData: { port, head, bytes: SENT } });
  try {
    await once(sender, 'online');
    const held = await body;
    await held.read(WIDENING);
    // Without the pause, each turn of the loop would read on.
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(held.held).toBeGreaterThan(0);
    expect(held.held).toBeLessThanOrEqual(MOST_HELD);
    expect(await held.read(SENT)).toBe(SENT);
  } finally {
    await sender.terminate();
  }
});

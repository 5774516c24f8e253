// @requirement Security: A host that a customer names holds neither memory nor a connection by its WebSocket.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttp, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { type GateNetwork, UrlGate } from '../../../../src/foundation/platform/url-gate/index.ts';
import { ManualClock } from '../manual-clock.ts';

const cert = readFileSync(new URL('cert.pem', import.meta.url), 'utf8');
const key = readFileSync(new URL('key.pem', import.meta.url), 'utf8');
const MIB = 1024 * 1024;
const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe('the messages of a host', () => {
  async function received(bytes: number, options: object): Promise<number | string> {
    const server = createHttp();
    const port = await listening(server);
    const hosts = new WebSocketServer({ server, ...options });
    hosts.on('connection', (socket) => {
      socket.on('error', () => undefined);
      socket.send(Buffer.alloc(bytes));
    });
    closing.push(() => {
      for (const client of hosts.clients) client.terminate();
    });
    const gate = new UrlGate({ allowLoopback: true });
    closing.push(() => gate.close());
    const socket = gate.webSocket(`http://127.0.0.1:${port}/#part`);
    socket.binaryType = 'arraybuffer';
    return await new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        resolve((data as ArrayBuffer).byteLength);
        socket.close();
      });
      socket.addEventListener('close', ({ code }) => resolve(`closed with ${code}`));
    });
  }

  it.each([
    ['plain', {}],
    ['compressed', { perMessageDeflate: { threshold: 0 } }],
  ])('arrive up to a MiB, %s', async (_how, options) => {
    expect(await received(MIB, options)).toBe(MIB);
    expect(await received(MIB + 1, options)).toBe('closed with 1006');
    expect(await received(100 * MIB, options)).toBe('closed with 1006');
  });
});

describe.each(['http', 'https'])('a host over %s that never ends its connection', (scheme) => {
  /** `end` resolves once this side has ended the connection. */
  async function opened(answer: (stream: Duplex, accept: string) => void) {
    const server = scheme === 'http' ? createHttp() : createHttps({ cert, key });
    let arrived: (stream: Duplex) => void;
    const arrival = new Promise<Duplex>((resolve) => {
      arrived = resolve;
    });
    server.on('upgrade', (request, stream) => {
      stream.on('error', () => undefined).resume();
      const accept = `${request.headers['sec-websocket-key']}${WEBSOCKET_GUID}`;
      answer(stream, createHash('sha1').update(accept).digest('base64'));
      arrived(stream);
    });
    const port = await listening(server);
    const clock = new ManualClock();
    const network: GateNetwork = {
      resolve: async () => ['93.184.216.34'],
      dial: () => connect(port, '127.0.0.1'),
    };
    const gate = new UrlGate({ allowLoopback: true, clock, network, ca: cert });
    closing.push(() => gate.close());
    const host = scheme === 'http' ? `127.0.0.1:${port}` : 'hooks.trunkline-test.com';
    const socket = gate.webSocket(`${scheme}://${host}/`);
    const stream = arrival.then((one) => {
      let isOver = false;
      const end = new Promise<void>((resolve) => {
        const over = () => {
          isOver = true;
          one.destroy();
          resolve();
        };
        one.on('end', over).on('close', over);
      });
      return { end, isOver: () => isOver };
    });
    return { clock, gate, socket, stream };
  }

  const accepts = (stream: Duplex, accept: string) =>
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );

  it('is cut off 2 s after the socket was closed', async () => {
    const { clock, socket, stream } = await opened(accepts);
    const { end, isOver } = await stream;
    await once(socket, 'open');
    const closed = once(socket, 'close');
    socket.close();
    clock.advance(1_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver()).toBe(false);
    clock.advance(1);
    await Promise.all([end, closed]);
    expect(clock.timers).toBe(0);
  });

  it('is cut off where it said that it closes the socket', async () => {
    const { clock, socket, stream } = await opened((to, accept) => {
      accepts(to, accept);
      to.write(Buffer.from([0x88, 0x00]));
    });
    const { end } = await stream;
    while (socket.readyState < socket.CLOSING) await new Promise((resolve) => setImmediate(resolve));
    socket.close();
    clock.advance(2_000);
    await end;
  });

  it('is cut off where it does not accept the socket', async () => {
    const { socket, stream } = await opened(() => undefined);
    const { end } = await stream;
    socket.close();
    await end;
  });

  it('is cut off with the gate', async () => {
    const { gate, socket, stream } = await opened(accepts);
    const { end } = await stream;
    await once(socket, 'open');
    await gate.close();
    await end;
  });
});

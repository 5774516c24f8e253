import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { nameResolver } from '../../../../src/foundation/platform/url-gate/resolve.ts';

const undo: (() => unknown)[] = [];
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step();
});

const HEADER = 12;
const TYPE = { A: 1, AAAA: 28 } as const;

async function nameServer(): Promise<{ server: string; silent: () => number }> {
  const socket = createSocket('udp4');
  let silent = 0;
  socket.on('message', (query, { port, address }) => {
    if (query.toString('latin1', HEADER + 1, HEADER + 5) !== 'fine') {
      silent += 1;
      return;
    }
    const end = query.indexOf(0, HEADER) + 5;
    const isV4 = query.readUInt16BE(end - 4) === TYPE.A;
    const header = Buffer.alloc(HEADER);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(isV4 ? 1 : 0, 6);
    const answer = Buffer.from([0xc0, HEADER, 0, TYPE.A, 0, 1, 0, 0, 0, 60, 0, 4, 93, 184, 216, 34]);
    const question = query.subarray(HEADER, end);
    socket.send(Buffer.concat([header, question, ...(isV4 ? [answer] : [])]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  undo.push(() => socket.close());
  return { server: `127.0.0.1:${socket.address().port}`, silent: () => silent };
}

it('is not held up by names whose servers are silent, and gives those up', async () => {
  const { server, silent } = await nameServer();
  const waiting = nameResolver({ servers: [server], timeoutMs: 3_000 });
  let given = 0;
  const slow = Array.from({ length: 40 }, (_, at) =>
    waiting(`slow${at}.example.com`).catch(() => {
      given += 1;
    }),
  );
  while (silent() < 80) await new Promise((resolve) => setImmediate(resolve));
  expect(await nameResolver({ servers: [server] })('fine.example.com')).toEqual(['93.184.216.34']);
  expect(given).toBe(0);
  await Promise.all(slow);
  expect(given).toBe(40);
});

it('asks nobody for this machine’s own name', async () => {
  const { server, silent } = await nameServer();
  const addresses = await nameResolver({ servers: [server] })('localhost');
  expect(addresses).toEqual(['127.0.0.1', '::1']);
  expect(silent()).toBe(0);
});

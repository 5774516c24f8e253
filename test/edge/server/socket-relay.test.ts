import { once } from 'node:events';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { isRelayed, relayTo } from '../../../src/edge/server/index.ts';
import type { SocketRoute } from '../../../src/edge/server/surface.ts';
import { OneKeyAccess } from './fixtures/access.ts';
import { bearer, start } from './fixtures/start.ts';

const PATH = '/v1/test/relay';

const surface = (accept: SocketRoute['accept']) => ({
  name: 'relay',
  sockets: [
    { path: PATH, access: { kind: 'key' as const, scope: 'omni:session' }, maxFrameBytes: 1_000, accept },
  ],
});

async function twoNodes(access = new OneKeyAccess()) {
  const seen: { query: string; relayed: boolean }[] = [];
  const owner = await start({
    access,
    surfaces: [
      surface((request) => {
        seen.push({ query: request.query.toString(), relayed: isRelayed(request) });
        return {
          open: (socket) => ({
            onMessage: (data, isBinary) => {
              const text = Buffer.from(data).toString();
              if (text === 'bye') socket.close(4444, 'as you wish');
              else socket.send(isBinary ? new Uint8Array(data) : `heard ${text}`);
            },
            onClosed: (code) => seen.push({ query: `closed ${code}`, relayed: true }),
          }),
        };
      }),
    ],
  });
  const other = await start({ surfaces: [surface((request) => relayTo(owner.url, request))] });
  const socket = new WebSocket(`${other.url.replace('http', 'ws')}${PATH}?call_id=tcl_1`, {
    headers: bearer,
  });
  return { socket, seen, owner };
}

it('leads frames both ways, and the code of the close', async () => {
  const { socket, seen } = await twoNodes();
  await once(socket, 'open');
  socket.send('hello');
  expect(String((await once(socket, 'message'))[0])).toBe('heard hello');
  socket.send(Buffer.of(1, 2, 3), { binary: true });
  expect((await once(socket, 'message'))[0]).toEqual(Buffer.of(1, 2, 3));
  socket.send('bye');
  const [code, reason] = await once(socket, 'close');
  expect([code, String(reason)]).toEqual([4444, 'as you wish']);
  expect(seen[0]).toEqual({ query: 'call_id=tcl_1', relayed: true });
});

it('ends at the node that has the call when the client goes', async () => {
  const { socket, seen } = await twoNodes();
  await once(socket, 'open');
  socket.send('hello');
  await once(socket, 'message');
  socket.terminate();
  await expect.poll(() => seen.at(-1)?.query).toMatch(/^closed/);
});

it('is closed with 1011 where the other node refuses or is gone', async () => {
  const { socket } = await twoNodes(new OneKeyAccess(['hear:stream']));
  expect((await once(socket, 'close'))[0]).toBe(1011);
});

import { once } from 'node:events';
import { type WebSocket, WebSocketServer } from 'ws';
import { createServer } from '../../src/edge/server/index.ts';
import type { Socket, Surface } from '../../src/edge/server/surface.ts';
import { createLog } from '../../src/foundation/platform/log.ts';
import { unrestrictedAccess } from '../harness/unrestricted-access.ts';

const LARGEST = 16 * 1024 * 1024;

const echo: Surface = {
  name: 'echo',
  sockets: [
    {
      path: '/',
      access: { kind: 'public' },
      maxFrameBytes: LARGEST,
      maxBufferedBytes: 4 * LARGEST,
      accept: async () => ({
        open: (socket: Socket) => ({
          onMessage: (data, isBinary) =>
            void socket.send(isBinary ? data.slice() : Buffer.from(data).toString('utf8')),
          onClosed: () => {},
        }),
      }),
    },
  ],
};

async function serveOurs(): Promise<number> {
  const server = await createServer({
    config: { host: '127.0.0.1', port: 0, baseUrl: null, trustedProxies: [], drainSeconds: 1 },
    log: createLog({ level: 'silent' }),
    access: unrestrictedAccess,
    surfaces: [echo],
  });
  return Number(new URL(await server.listen()).port);
}

async function serveWs(): Promise<number> {
  const server = new WebSocketServer({
    host: '127.0.0.1',
    port: 0,
    perMessageDeflate: false,
    maxPayload: LARGEST,
  });
  server.on('connection', (socket: WebSocket) => {
    socket.on('error', () => {});
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

process.send?.(await (process.argv[2] === 'ws' ? serveWs() : serveOurs()));
process.on('disconnect', () => process.exit(0));

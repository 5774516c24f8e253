import { once } from 'node:events';
import { type WebSocket, WebSocketServer } from 'ws';
import { createServer } from '../../src/edge/server/index.ts';
import { createLoopbackSurface } from '../../src/edge/surfaces/loopback/index.ts';
import { createLog } from '../../src/foundation/platform/log.ts';
import { Engine } from '../../src/media/engine/index.ts';
import { unrestrictedAccess } from '../harness/unrestricted-access.ts';

const SLOTS = 8192;

/**
 * The listener, guard, surface and engine are the product's own; only the key look-up is left out, which frames never
 * reach.
 */
async function serveLane(): Promise<number> {
  const engine = new Engine({ slots: SLOTS, library: null });
  await engine.prepared();
  const server = await createServer({
    config: { host: '127.0.0.1', port: 0, baseUrl: null, trustedProxies: [], drainSeconds: 1 },
    log: createLog({ level: 'silent' }),
    access: unrestrictedAccess,
    surfaces: [createLoopbackSurface({ engine })],
  });
  return Number(new URL(await server.listen()).port);
}

async function serveWs(): Promise<number> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  server.on('connection', (socket: WebSocket) => {
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

process.send?.(await (process.argv[2] === 'ws' ? serveWs() : serveLane()));
process.on('disconnect', () => process.exit(0));

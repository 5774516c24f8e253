import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import {
  AUTHENTICATION_TIMEOUT_MS,
  MAX_UNAUTHENTICATED_PER_NETWORK,
} from '../../../src/edge/server/listener/unauthenticated-sockets.ts';
import type { Socket, SocketRequest, Surface } from '../../../src/edge/server/surface.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { until } from '../../poll.ts';
import { OneKeyAccess } from './fixtures/access.ts';
import { start } from './fixtures/start.ts';

const late: Surface = {
  name: 'late',
  sockets: [
    {
      path: '/late',
      access: { kind: 'signed' },
      keyScope: 'amd:detect',
      maxFrameBytes: 1024,
      accept: (request: SocketRequest) => ({
        open: (socket: Socket) => ({
          onMessage: (data) =>
            void request.identify(Buffer.from(data).toString()).then(
              () => socket.send('welcome'),
              (error: { code: string }) => socket.send(error.code),
            ),
          onClosed: () => {},
        }),
      }),
    },
  ],
};

const sockets: WebSocket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.terminate();
});

interface Reported {
  readonly socket: WebSocket;
  readonly heard: string[];
  readonly closed: Promise<number>;
}

/** Resolves with the open socket, or with the status that refuses it. */
function connect(url: string, from: string): Promise<Reported | number> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/late`, { headers: { 'x-forwarded-for': from } });
  sockets.push(socket);
  const heard: string[] = [];
  socket.on('message', (data: Buffer) => heard.push(data.toString()));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve({ socket, heard, closed }));
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('error', reject);
  });
}
const opened = async (url: string, from: string) => (await connect(url, from)) as Reported;

async function serve() {
  const clock = new ManualClock();
  const access = new OneKeyAccess();
  const server = await start({ surfaces: [late], clock, access, config: { trustedProxies: ['127.0.0.1'] } });
  return { url: server.url, clock, access };
}

describe('a socket that has not said whose it is', () => {
  it('is one of a bounded number of its network, and gives its place back', async () => {
    const { url } = await serve();
    const crowd = await Promise.all(
      Array.from({ length: MAX_UNAUTHENTICATED_PER_NETWORK }, (_, at) =>
        opened(url, `198.51.100.${at % 250}`),
      ),
    );
    expect(await connect(url, '198.51.100.251')).toBe(429);
    expect(await connect(url, '203.0.113.1')).not.toBe(429);
    crowd[0]!.socket.send(OneKeyAccess.KEY);
    await until(() => crowd[0]!.heard.includes('welcome'));
    await opened(url, '198.51.100.251');
    expect(await connect(url, '198.51.100.252')).toBe(429);
    crowd[1]!.socket.close();
    await crowd[1]!.closed;
    await until(async () => (await connect(url, '198.51.100.252')) !== 429);
  });

  it('is closed after a while, and one that has said it is not', async () => {
    const { url, clock } = await serve();
    const [silent, wrong, known] = [
      await opened(url, '198.51.100.1'),
      await opened(url, '198.51.100.1'),
      await opened(url, '198.51.100.1'),
    ];
    wrong.socket.send('svc_test_ofNobody');
    known.socket.send(OneKeyAccess.KEY);
    await until(() => wrong.heard.includes('invalid_api_key') && known.heard.includes('welcome'));
    clock.advance(AUTHENTICATION_TIMEOUT_MS - 1);
    expect(silent.socket.readyState).toBe(WebSocket.OPEN);
    clock.advance(1);
    expect(await silent.closed).toBe(4401);
    expect(await wrong.closed).toBe(4401);
    expect(known.socket.readyState).toBe(WebSocket.OPEN);
  });

  it('ends with the credential that a frame brought', async () => {
    const { url, access } = await serve();
    const reported = await opened(url, '198.51.100.1');
    reported.socket.send(OneKeyAccess.KEY);
    await until(() => reported.heard.includes('welcome'));
    access.revoke();
    expect(await reported.closed).toBe(4401);
    await until(() => access.watchers === 0);
  });
});

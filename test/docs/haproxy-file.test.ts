import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../poll.ts';
import { haproxyAbsent, type NodePorts, startHaproxy } from './haproxy.ts';

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return portOf(server);
};

/** Answers as a node does: every request with its name, and the agent check with `weight`. */
async function stubNode(name: string, weight: () => string): Promise<NodePorts> {
  const port = await listening(createHttpServer((_request, response) => response.end(name)));
  const agentCheck = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(`${weight()}\n`);
  });
  const agentCheckPort = await listening(agentCheck);
  return { port, agentCheckPort };
}

describe.skipIf(haproxyAbsent)('haproxy.cfg', () => {
  it('finds the node of a WebRTC call again, whatever its load, and while it drains', async () => {
    let weight = 'ready up 40%';
    const nodes = [await stubNode('first', () => weight), await stubNode('second', () => weight)] as const;
    const front = await startHaproxy([...nodes], (stop) => onTestFinished(() => void stop()));
    const answer = async (path: string) => {
      const response = await front.send(path, { method: 'POST', body: 'v=0' });
      return response.status === 200 ? await response.text() : null;
    };
    await until(async () => (await answer('/v1/agents')) !== null);
    // Two checks of each backend have passed by then.
    const owner = await answer('/v1/omni/webrtc');
    expect(owner).toMatch(/first|second/);
    weight = 'drain';
    await until(async () => (await answer('/v1/agents')) === null);
    for (let asked = 0; asked < 5; asked++) expect(await answer('/v1/omni/webrtc/ocl_1')).toBe(owner);
  }, 30_000);
});

import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { SimulatedCaller, TwilioTransport } from '../../../src/apps/caller/index.ts';

it('is told that what it has to say is never said, where the other side hangs up', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  server.on('connection', (socket) => setTimeout(() => socket.close(1000), 100));
  const { port } = server.address() as AddressInfo;
  const caller = await SimulatedCaller.over(new TwilioTransport({ url: `ws://127.0.0.1:${port}/` }));
  const second = new Int16Array(8_000);
  const began = caller.say(second);
  const behind = caller.say(second);
  expect(await began).toBeGreaterThanOrEqual(caller.began);
  await expect(behind).rejects.toThrow('the call has ended');
  expect(caller.over).toBe(true);
  await expect(caller.say(second)).rejects.toThrow('the call has ended');
  server.close();
});

import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { expect } from 'vitest';
import {
  type Brain,
  createBrainChain,
  createChatEndpoint,
} from '../../../../src/conversation/brains/index.ts';
import { createResponder } from '../../../../src/conversation/responder/index.ts';
import {
  introduce,
  type Script,
  ScriptedEndpoint,
} from '../../../conversation/brains/endpoint/scripted-endpoint.ts';
import { afterEach } from '../../../helper-hooks.ts';
import { press, recordOf } from './fault-helpers.ts';
import { Client, openOmni } from './server.ts';

export const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export function brainAt(url: string, key?: string): Brain {
  const endpoint = createChatEndpoint({ url, model: 'test', ...(key ? { key } : {}) });
  cleanups.push(() => endpoint.close());
  return createBrainChain([endpoint, createResponder({ personaIsForModel: true })]);
}

export async function scripted(script: Script, key?: string) {
  const endpoint = await ScriptedEndpoint.start(script);
  cleanups.push(() => endpoint.close());
  const brain = brainAt(endpoint.url, key);
  await introduce(brain);
  return { endpoint, brain };
}

export async function rawServer(serve: (server: Server) => void): Promise<string> {
  const server = createServer();
  serve(server);
  server.on('connection', (socket) => socket.resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

export async function oneTurn(brain: Brain, configure: Record<string, unknown> = {}) {
  const opened = await openOmni({ brain });
  const client = await new Client(opened.url).opened();
  const { call_id: id } = await client.configure(configure);
  press(client);
  await client.silenceUntil(() => client.transcripts.some(({ role, final }) => role === 'agent' && final));
  client.control({ type: 'end' });
  expect(await client.closed()).toBe(1000);
  return { client, id, record: await recordOf(opened, id), opened };
}

export const events = (response: ServerResponse, ...chunks: string[]): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) response.write(chunk);
};

export const APOLOGY = /having trouble right now/;

export async function askThreeTimes(client: Client): Promise<void> {
  const finals = (): number =>
    client.transcripts.filter(({ role, final }) => role === 'agent' && final).length;
  for (let turn = 1; turn <= 3; turn++) {
    press(client);
    await client.silenceUntil(() => finals() >= turn || client.closeCode !== null);
  }
}

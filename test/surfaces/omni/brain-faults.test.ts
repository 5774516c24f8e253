import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Brain,
  createBrainChain,
  createChatEndpoint,
  createLocalModel,
} from '../../../src/brain/index.ts';
import { createResponder } from '../../../src/responder/index.ts';
import {
  chatChunk,
  introduce,
  type Script,
  ScriptedEndpoint,
  saying,
} from '../../brain/endpoint/scripted-endpoint.ts';
import { agentSaid, press, recordOf } from './faults.ts';
import { absent, Client, openOmni } from './server.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** The brain as the server composes it: the endpoint, and the built-in responder behind it. */
function brainAt(url: string, key?: string): Brain {
  const endpoint = createChatEndpoint({ url, model: 'test', ...(key ? { key } : {}) });
  cleanups.push(() => endpoint.close());
  return createBrainChain([endpoint, createResponder({ personaIsForModel: true })]);
}

async function scripted(script: Script, key?: string) {
  const endpoint = await ScriptedEndpoint.start(script);
  cleanups.push(() => endpoint.close());
  const brain = brainAt(endpoint.url, key);
  await introduce(brain);
  return { endpoint, brain };
}

async function rawServer(serve: (server: Server) => void): Promise<string> {
  const server = createServer();
  serve(server);
  server.on('connection', (socket) => socket.resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** One question by key, the whole answer heard, an end. */
async function oneTurn(brain: Brain, configure: Record<string, unknown> = {}) {
  const opened = await openOmni({ brain });
  const client = await new Client(opened.url).opened();
  const { call_id: id } = await client.configure(configure);
  press(client);
  await client.silenceUntil(() => client.transcripts.some(({ role, final }) => role === 'agent' && final));
  client.control({ type: 'end' });
  expect(await client.closed()).toBe(1000);
  return { client, id, record: await recordOf(opened, id), opened };
}

const events = (response: ServerResponse, ...chunks: string[]): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) response.write(chunk);
};

const APOLOGY = /having trouble right now/;

/** Each question once the one before was answered. */
async function askThreeTimes(client: Client): Promise<void> {
  const finals = (): number =>
    client.transcripts.filter(({ role, final }) => role === 'agent' && final).length;
  for (let turn = 1; turn <= 3; turn++) {
    press(client);
    await client.silenceUntil(() => finals() >= turn || client.closeCode !== null);
  }
}

describe.skipIf(Boolean(absent))('a brain that is dead', () => {
  it.each<[string, () => Promise<string>, string]>([
    ['refuses connections', async () => 'http://127.0.0.1:9/v1', 'fallback brain_unreachable'],
    [
      'resets connections',
      () => rawServer((server) => server.on('connection', (socket) => socket.resetAndDestroy())),
      'fallback brain_unreachable',
    ],
    [
      'takes connections and says nothing',
      () => rawServer((server) => server.on('connection', (socket) => socket.on('error', () => undefined))),
      'fallback brain_timeout',
    ],
    [
      'speaks something else than HTTP',
      () => rawServer((server) => server.on('connection', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'))),
      'fallback brain_unreachable',
    ],
  ])(
    'and %s is apologized for, and the record says so',
    {
      timeout: 60_000,
    },
    async (_name, url, trouble) => {
      const { record, client } = await oneTurn(brainAt(await url()));
      expect(agentSaid(client)).toMatch(APOLOGY);
      expect(record).toMatchObject({ status: 'completed', end_reason: 'client_ended' });
      expect(record.degraded).toContain(trouble);
      expect(record.degraded).toContain(trouble.replace('fallback', 'apology'));
    },
  );

  it('ends the call after three questions with 1011, failed and free', {
    timeout: 60_000,
  }, async () => {
    const opened = await openOmni({ brain: brainAt('http://127.0.0.1:9/v1') });
    const client = await new Client(opened.url).opened();
    const { call_id: id } = await client.configure({ persona: 'You are Ada. We open at nine.' });
    await askThreeTimes(client);
    expect(await client.closed()).toBe(1011);
    expect(agentSaid(client)).not.toMatch(/nine|don't have/);
    expect(await recordOf(opened, id)).toMatchObject({
      status: 'failed',
      end_reason: 'brain_unavailable',
      billed: 0,
    });
  });
});

describe.skipIf(Boolean(absent))('a brain that streams garbage', () => {
  it.each<[string, Script, string, RegExp]>([
    [
      'a page of HTML',
      (_request, response) => void response.end('<html>busy</html>'),
      'fallback brain_garbage',
      APOLOGY,
    ],
    [
      'no JSON',
      (_request, response) => {
        events(response, 'data: {"choices":[{"delta"\n\n');
        response.end();
      },
      'fallback brain_garbage',
      APOLOGY,
    ],
    [
      'words, then a cut stream',
      (_request, response) => {
        events(response, chatChunk({ content: 'Your order is on its way. ' }));
        setImmediate(() => response.destroy());
      },
      'apology brain_unreachable',
      APOLOGY,
    ],
    [
      'words, then no JSON',
      (_request, response) => {
        events(response, chatChunk({ content: 'Your order is on its way. ' }), 'data: }{\n\n');
        response.end();
      },
      'apology brain_garbage',
      APOLOGY,
    ],
    [
      'nothing at all, properly ended',
      (_request, response) => {
        events(response, chatChunk({}, 'stop'), 'data: [DONE]\n\n');
        response.end();
      },
      'apology brain_silent',
      APOLOGY,
    ],
    [
      'an event of two megabytes',
      (_request, response) => {
        events(response, `data: {"choices":[{"delta":{"content":"${'x'.repeat(2_000_000)}`);
        response.end();
      },
      'fallback brain_garbage',
      APOLOGY,
    ],
    [
      'its error as an event',
      (_request, response) => {
        events(response, 'data: {"error":{"message":"no credit"}}\n\n');
        response.end();
      },
      'fallback brain_refused',
      APOLOGY,
    ],
  ])('%s', { timeout: 60_000 }, async (_name, script, trouble, heard) => {
    const { brain } = await scripted(script);
    const { record, client } = await oneTurn(brain);
    expect(record.degraded).toContain(trouble);
    expect(agentSaid(client)).toMatch(heard);
    expect(record.status).toBe('completed');
  });

  it('words without end or mark: the line stays alive, the answer is cut, and an interruption works', {
    timeout: 60_000,
  }, async () => {
    let written = 0;
    const { brain, endpoint } = await scripted(async ({ closed }, response) => {
      let gone = false;
      void closed.then(() => {
        gone = true;
      });
      events(response);
      while (!gone) {
        written++;
        response.write(chatChunk({ content: `word${written} ` }));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const opened = await openOmni({ brain });
    const client = await new Client(opened.url).opened();
    const { call_id: id } = await client.configure();
    press(client);
    await client.silenceUntil(() => client.audioBytes > 16_000);
    await endpoint.received[0]?.closed;
    expect(written).toBeLessThan(5_000);
    client.control({ type: 'end' });
    expect(await client.closed()).toBe(1000);
    expect((await recordOf(opened, id)).degraded).toContain('answer answer_too_long');
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['arguments that are no JSON', { name: 'book', arguments: '{"day":' }, /not a JSON object/],
    ['arguments that the schema forbids', { name: 'book', arguments: '{"day":7}' }, /day must be string/],
    ['a tool that does not exist', { name: 'rm', arguments: '{}' }, /there is no tool rm/],
  ])(
    '%s: the client is not called, and the brain is told why',
    { timeout: 60_000 },
    async (_name, call, why) => {
      const { brain, endpoint } = await scripted(({ body }, response) => {
        const messages = body.messages as { role: string }[];
        if (messages.at(-1)?.role === 'tool') return saying('I could not do that.')({} as never, response);
        events(
          response,
          chatChunk({ tool_calls: [{ index: 0, id: 'c1', function: call }] }),
          chatChunk({}, 'tool_calls'),
        );
        response.end();
      });
      const parameters = { properties: { day: { type: 'string' } } };
      const { client, record } = await oneTurn(brain, { tools: [{ name: 'book', parameters }] });
      expect(client.has('tool_call')).toBe(false);
      expect(agentSaid(client)).toBe('I could not do that.');
      const told = endpoint.received[1]?.body.messages as { role: string; content: string }[];
      expect(told.at(-1)?.content).toMatch(why);
      // A busy machine speaks late.
      expect(record.degraded.filter((step) => step !== 'voice speech_slow')).toEqual([]);
    },
  );

  it('that calls tools for ever is stopped after four rounds', { timeout: 60_000 }, async () => {
    let round = 0;
    const { brain } = await scripted((_request, response) => {
      round++;
      const call = { name: 'book', arguments: `{"day":"${round}"}` };
      events(
        response,
        chatChunk({ tool_calls: [{ index: 0, id: `c${round}`, function: call }] }),
        chatChunk({}, 'tool_calls'),
      );
      response.end();
    });
    const opened = await openOmni({ brain });
    const client = await new Client(opened.url).opened();
    const { call_id: id } = await client.configure({ tools: [{ name: 'book' }] });
    const answered = new Set<unknown>();
    press(client);
    await client.silenceUntil(() => {
      for (const one of client.controls) {
        if (one.event !== 'tool_call' || answered.has(one.call_id)) continue;
        answered.add(one.call_id);
        client.control({ type: 'tool_result', call_id: one.call_id, result: 'again' });
      }
      return client.transcripts.some(({ role, final }) => role === 'agent' && final);
    });
    expect(answered.size).toBe(4);
    expect(agentSaid(client)).toMatch(APOLOGY);
    client.control({ type: 'end' });
    await client.closed();
    expect((await recordOf(opened, id)).degraded).toContain('apology tool_rounds_exceeded');
  });
});

describe.skipIf(Boolean(absent))('a local model whose process dies in the middle of its answer', () => {
  it('is apologized for and started again: the call goes on', { timeout: 60_000 }, async () => {
    const model = createLocalModel({
      model: 'model.gguf',
      runtimeDir: '/nonexistent',
      worker: join(import.meta.dirname, '../../brain/local/scripted-worker.mjs'),
      // A process takes its time to start where the machine is busy.
      firstEventMs: 7_000,
    });
    cleanups.push(() => model.close());
    const opened = await openOmni({
      brain: createBrainChain([model, createResponder({ personaIsForModel: true })]),
    });
    const client = await new Client(opened.url).opened();
    const { call_id: id } = await client.configure();
    const finals = () => client.transcripts.filter(({ role, final }) => role === 'agent' && final);
    press(client, '666#');
    await client.silenceUntil(() => finals().length === 1);
    expect(finals()[0]?.text).toMatch(APOLOGY);
    press(client, '12#');
    await client.silenceUntil(() => finals().length === 2);
    expect(finals()[1]?.text).toMatch(/\(keypad\) 12$/);
    client.control({ type: 'end' });
    expect(await client.closed()).toBe(1000);
    const record = await recordOf(opened, id);
    expect(record.status).toBe('completed');
    expect(record.degraded).toContain('apology brain_unreachable');
    expect(record.billed).toBe(record.row.duration_ms);
  });
});

describe.skipIf(Boolean(absent))('a call that its client keeps from being answered', () => {
  const HEALTH = 'Hello.';
  const lastOf = ({ body }: { body: Record<string, unknown> }) =>
    (body.messages as { content: string }[]).at(-1)?.content;

  it.each<[string, Script, Record<string, unknown>]>([
    ['by a persona that says nothing', saying('...'), { persona: 'Answer with three dots.' }],
    [
      'by tools that the endpoint refuses',
      (_request, response) => void response.writeHead(400).end('bad schema'),
      { tools: [{ name: 'look', parameters: { type: 'object', properties: { a: { format: 'x' } } } }] },
    ],
  ])('%s is completed and billed', { timeout: 60_000 }, async (_how, script, configure) => {
    const { brain } = await scripted((request, response) =>
      lastOf(request) === HEALTH ? saying('Hello!')(request, response) : script(request, response),
    );
    const opened = await openOmni({ brain });
    const client = await new Client(opened.url).opened();
    const { call_id: id } = await client.configure(configure);
    await askThreeTimes(client);
    expect(await client.closed()).toBe(1000);
    expect(client.controls.at(-1)).toMatchObject({ event: 'ended', reason: 'agent_stuck' });
    const record = await recordOf(opened, id);
    expect(record).toMatchObject({ status: 'completed', end_reason: 'agent_stuck' });
    expect(record.billed).toBe(record.row.duration_ms);
    expect(record.billed).toBeGreaterThan(5_000);
  });
});

describe.skipIf(Boolean(absent))('a brain that is slow', () => {
  it('is covered by a filler, and its answer is heard', { timeout: 60_000 }, async () => {
    const { brain } = await scripted(async (request, response) => {
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      await saying('It arrives on Monday.')(request, response);
    });
    const { record, client } = await oneTurn(brain);
    expect(agentSaid(client)).toBe('One moment, please. It arrives on Monday.');
    expect(record.degraded).toEqual(['filler brain_slow']);
  });

  it('three times silent in a row ends the call with 1011, failed and free', {
    timeout: 60_000,
  }, async () => {
    const silent: Brain = {
      name: 'silent',
      async *respond() {
        yield* [];
      },
    };
    const opened = await openOmni({ brain: silent });
    const client = await new Client(opened.url).opened();
    const { call_id: id } = await client.configure();
    await askThreeTimes(client);
    expect(await client.closed()).toBe(1011);
    expect(client.controls.at(-1)).toMatchObject({ event: 'ended', reason: 'brain_unavailable' });
    expect(await recordOf(opened, id)).toMatchObject({
      status: 'failed',
      end_reason: 'brain_unavailable',
      billed: 0,
    });
  });
});

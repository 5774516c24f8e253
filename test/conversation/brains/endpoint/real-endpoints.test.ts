import { afterEach, describe, expect, it } from 'vitest';
import { createBrainChain, createNamedBrains } from '../../../../src/conversation/brains/chain/index.ts';
import type { Brain, BrainEvent, BrainRequest } from '../../../../src/conversation/brains/contract.ts';
import { createChatEndpoint } from '../../../../src/conversation/brains/endpoint/chat-endpoint.ts';
import { brainEntries, brainNames } from '../../../../src/main/brain-settings.ts';
import { chatChunk, introduce, type Script, ScriptedEndpoint, saying } from './scripted-endpoint.ts';

const request: BrainRequest = {
  language: 'en',
  persona: 'You work for Acme.',
  messages: [{ role: 'user', content: 'When do you open?' }],
  tools: [],
  passages: [],
};

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function brainFor(script: Script, options: Partial<Parameters<typeof createChatEndpoint>[0]> = {}) {
  const endpoint = await ScriptedEndpoint.start(script);
  const brain = createChatEndpoint({ url: endpoint.url, model: 'test', ...options });
  cleanups.push(
    () => endpoint.close(),
    () => brain.close(),
  );
  await introduce(brain);
  return { endpoint, brain };
}

async function collect(brain: Brain, asked: Partial<BrainRequest> = {}): Promise<BrainEvent[]> {
  const events: BrainEvent[] = [];
  const signal = new AbortController().signal;
  for await (const event of brain.respond({ ...request, ...asked }, signal))
    if (event.kind !== 'thinking') events.push(event);
  return events;
}

const text = (words: string) => ({ kind: 'text', text: words });
const refusing =
  (name: string, body: (parameter: string) => unknown, status = 400): Script =>
  (received, response) => {
    if (!(name in received.body)) return void saying('ok')(received, response);
    response.writeHead(status).end(JSON.stringify(body(name)));
  };

describe('an endpoint', () => {
  it.each([
    ['temperature', 400],
    ['seed', 422],
    ['reasoning_effort', 400],
    ['stream_options', 400],
    ['max_tokens', 400],
  ])('that refuses %s is asked without it once, and never with it again', async (name, status) => {
    for (const body of [
      (parameter: string) => ({ error: { message: 'Unsupported value.', param: parameter } }),
      (parameter: string) => ({ detail: `Unrecognized request argument supplied: ${parameter}` }),
    ]) {
      const { brain, endpoint } = await brainFor(refusing(name, body, status), { reasoningEffort: 'low' });
      const asked = { temperature: 0.2, seed: 7 };
      for (let turn = 0; turn < 2; turn++) expect(await collect(brain, asked)).toEqual([text('ok')]);
      expect(endpoint.received.map((one) => name in one.body)).toEqual([true, false, false]);
    }
  });

  // @requirement Brains: A parameter that an endpoint refuses is left out from then on.
  it('that refuses several parameters answers without all of them', async () => {
    const { brain, endpoint } = await brainFor((received, response) => {
      const bad = ['temperature', 'seed', 'stream_options'].find((name) => name in received.body);
      if (bad === undefined) return void saying('ok')(received, response);
      response.writeHead(400).end(JSON.stringify({ error: { message: `no ${bad}`, param: bad } }));
    });
    expect(await collect(brain, { temperature: 1, seed: 1 })).toEqual([text('ok')]);
    expect(endpoint.received).toHaveLength(4);
  });

  it('that refuses the question itself is not asked again', async () => {
    const { brain, endpoint } = await brainFor((_received, response) => {
      response.writeHead(400).end('{"error":{"message":"content policy","param":"messages"}}');
    });
    await expect(collect(brain)).rejects.toMatchObject({ fault: 'refused' });
    expect(endpoint.received).toHaveLength(1);
  });

  // @requirement Brains: A language model is any OpenAI-compatible endpoint, with a query in its address, headers, a model, time limits and sampling settings.
  it('may have a query in its address, and headers of its own', async () => {
    const seen: (string | undefined)[] = [];
    const { createServer } = await import('node:http');
    const server = createServer((received, response) => {
      seen.push(received.url, String(received.headers['api-key']));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${chatChunk({ content: 'Hi.' }, 'stop')}data: [DONE]\n\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const brain = createChatEndpoint({
      url: `http://127.0.0.1:${port}/openai/v1/?api-version=2025-01-01`,
      model: 'm',
      headers: { 'api-key': 'k' },
    });
    cleanups.push(
      async () => void server.close(),
      () => brain.close(),
    );
    expect(await collect(brain)).toEqual([text('Hi.')]);
    expect(seen).toEqual(['/openai/v1/chat/completions?api-version=2025-01-01', 'k']);
  });

  // @requirement Brains: Prompts begin with a prefix that endpoints can cache, and each turn records the cached tokens.
  it('says what the answer cost, and how much of the prompt it had read before', async () => {
    const usage = {
      prompt_tokens: 900,
      completion_tokens: 12,
      prompt_tokens_details: { cached_tokens: 768 },
    };
    const { brain } = await brainFor((_received, response) => {
      response.write(chatChunk({ content: 'At nine.' }));
      response.write(chatChunk({}, 'stop'));
      response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
    });
    expect(await collect(brain)).toEqual([
      text('At nine.'),
      { kind: 'usage', promptTokens: 900, cachedTokens: 768, completionTokens: 12 },
    ]);
  });

  // @requirement Brains: Hidden reasoning of a model neither ends a turn nor is spoken.
  it('that thinks unseen until its tokens are used up is given room, once and for all', async () => {
    const { brain, endpoint } = await brainFor((received, response) => {
      if (Number(received.body.max_tokens) > 400) return void saying('At nine.')(received, response);
      response.write(chatChunk({ reasoning_content: 'Hm, when do they open' }));
      response.end(`${chatChunk({}, 'length')}data: [DONE]\n\n`);
    });
    for (let turn = 0; turn < 2; turn++) expect(await collect(brain)).toEqual([text('At nine.')]);
    expect(endpoint.received.map(({ body }) => body.max_tokens)).toEqual([400, 3200, 3200]);
  });

  it.each([
    [{ code: 'overloaded', message: 'x' }],
    [{ type: 'overloaded_error' }],
    [{ code: 503 }],
    [{ status: 429 }],
  ])('that is overloaded in the middle of a stream is asked again: %j', async (error) => {
    let asked = 0;
    const { brain } = await brainFor((received, response) => {
      if (++asked > 1) return void saying('ok')(received, response);
      response.end(`data: ${JSON.stringify({ error })}\n\n`);
    });
    expect(await collect(createBrainChain([brain]))).toEqual([text('ok')]);
  });

  // @requirement Brains: Answers 408, 429 and 5xx and overload within a stream are retried, then a second endpoint answers.
  it.each([408, 429, 500, 529])('that answers %i is asked again', async (status) => {
    let asked = 0;
    const { brain } = await brainFor((received, response) => {
      if (++asked > 1) return void saying('ok')(received, response);
      response.writeHead(status).end('{}');
    });
    expect(await collect(createBrainChain([brain]))).toEqual([text('ok')]);
  });

  it('that only shows signs of life in its time is left for the next one', async () => {
    const { brain: idle } = await brainFor(
      (_received, response) => {
        response.write(chatChunk({ role: 'assistant', content: '' }));
        const beat = setInterval(() => response.write(': keep-alive\n\ndata: {"choices":[]}\n\n'), 20);
        response.on('close', () => clearInterval(beat));
      },
      { firstEventMs: 200 },
    );
    const { brain: quick } = await brainFor(saying('ok'));
    expect(await collect(createBrainChain([idle, quick]))).toEqual([
      { kind: 'fallback', fault: 'timeout' },
      text('ok'),
    ]);
  });
});

// @requirement Brains: An agent profile chooses its model by a name that the operator configured.
describe('brains by name', () => {
  const saysOwn = (name: string): Brain => ({
    name,
    async *respond() {
      yield { kind: 'text', text: name };
    },
  });

  it('answer where they are named; the default one for everybody else', async () => {
    const brain = createNamedBrains(saysOwn('default'), new Map([['fast', saysOwn('fast')]]));
    expect(await collect(brain)).toEqual([text('default')]);
    expect(await collect(brain, { brain: 'fast' })).toEqual([text('fast')]);
    expect(await collect(brain, { brain: 'gone' })).toEqual([text('default')]);
  });

  it('are read from the operator’s list, whose mistakes are told without its keys', () => {
    const entry = { name: 'fast', url: 'https://models.example/v1', model: 'm', key: 'sk-secret' };
    expect(
      brainNames({ brains: JSON.stringify([entry, { ...entry, name: 'big', fallback: 'fast' }]) }),
    ).toEqual(['fast', 'big']);
    expect(brainEntries({ brains: null })).toEqual([]);
    for (const wrong of [
      'no JSON sk-secret',
      '{}',
      JSON.stringify([{ ...entry, url: 'ftp://x' }]),
      JSON.stringify([entry, entry]),
      JSON.stringify([{ ...entry, fallback: 'fast' }]),
      JSON.stringify([{ ...entry, first_token_ms: 'soon' }]),
      JSON.stringify([{ ...entry, unknown: 1 }]),
      JSON.stringify([{ ...entry, kind: 'spoken' }]),
      JSON.stringify([{ ...entry, kind: 'realtime', temperature: 1 }]),
      JSON.stringify([{ ...entry, usd_per_hour: 1 }]),
      JSON.stringify([{ ...entry, voice: 'marin' }]),
      JSON.stringify([{ ...entry, kind: 'realtime', first_audio_ms: 500 }]),
    ]) {
      expect(() => brainEntries({ brains: wrong }), wrong).toThrow(/TRUNKLINE_BRAINS/);
      try {
        brainEntries({ brains: wrong });
      } catch (error) {
        expect(String(error)).not.toContain('sk-secret');
      }
    }
  });
});

import { describe, expect, it } from 'vitest';
import { chatChunk, type Script, saying } from '../../../conversation/brains/endpoint/scripted-endpoint.ts';
import { long, longForm, sampleOf } from '../../../long-tests.ts';
import { agentSaid, press, recordOf } from './fault-helpers.ts';
import { APOLOGY, askThreeTimes, brainAt, events, oneTurn, rawServer, scripted } from './faulty-brains.ts';
import { absent, Client, openOmni } from './server.ts';

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

  it.skipIf(!long)(
    longForm('ends the call after three questions with 1011, failed and free'),
    {
      timeout: 60_000,
    },
    async () => {
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
    },
  );
});

describe.skipIf(Boolean(absent))('a brain that streams garbage', () => {
  const streams: [string, Script, string, RegExp][] = [
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
  ];

  it.each(sampleOf(streams, 4))('%s', { timeout: 60_000 }, async (_name, script, trouble, heard) => {
    const { brain } = await scripted(script);
    const { record, client } = await oneTurn(brain);
    expect(record.degraded).toContain(trouble);
    expect(agentSaid(client)).toMatch(heard);
    expect(record.status).toBe('completed');
  });

  it('half a sentence, then a cut stream: the model is asked for the rest, and the caller hears one answer', {
    timeout: 60_000,
  }, async () => {
    const { brain, endpoint } = await scripted((received, response) => {
      const { role, content } = (received.body.messages as { role: string; content: string }[]).at(-2)!;
      if (role === 'assistant') return saying('Friday morning.')(received, response);
      expect(content).toContain('You');
      events(response, chatChunk({ content: 'Of course, gladly. Your order comes on Frid' }));
      response.write(': cut\n\n', () => response.destroy());
    });
    const { record, client } = await oneTurn(brain, { persona: 'You are Ada.' });
    expect(agentSaid(client)).toBe('Of course, gladly. Your order comes on Friday morning.');
    expect(record.degraded.filter((step) => !step.endsWith('_slow'))).toEqual(['fallback brain_unreachable']);
    expect(endpoint.received).toHaveLength(2);
    const { providers } = JSON.parse(record.row.turns ?? '{}') as { providers: unknown };
    expect(providers).toEqual([
      {
        kind: 'brain',
        provider: 'chat:test',
        credential: 'operator',
        region: null,
        host: new URL(endpoint.url).host,
        requests: 2,
        characters: 'Of course, gladly. Your order comes on FridFriday morning.'.length,
        sound_ms: 0,
        failures: 1,
        failed_over_at_ms: expect.any(Number),
      },
    ]);
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
      const reported = endpoint.received[1]?.body.messages as { role: string; content: string }[];
      expect(reported.at(-1)?.content).toMatch(why);
      // A busy machine speaks late, so `speech_slow` does not count.
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

// @requirement Local models: A local model keeps the prompt of a call and evaluates only what is new.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Brain, createBrainChain, createLocalModel } from '../../../../src/conversation/brains/index.ts';
import { createResponder } from '../../../../src/conversation/responder/index.ts';
import { type Script, saying } from '../../../conversation/brains/endpoint/scripted-endpoint.ts';
import { agentSaid, press, recordOf } from './fault-helpers.ts';
import { APOLOGY, askThreeTimes, cleanups, oneTurn, scripted } from './faulty-brains.ts';
import { absent, Client, openOmni } from './server.ts';

describe.skipIf(Boolean(absent))('a local model whose process dies in the middle of its answer', () => {
  it('is apologized for and started again: the call goes on', { timeout: 60_000 }, async () => {
    const model = createLocalModel({
      model: 'model.gguf',
      runtimeDir: '/nonexistent',
      worker: join(import.meta.dirname, '../../../conversation/brains/local/scripted-worker.mjs'),
      firstEventMs: 7_000,
    });
    cleanups.push(() => model.close());
    const opened = await openOmni({
      brain: createBrainChain([model, createResponder({ personaIsForModel: true })]),
    });
    const client = await new Client(opened.url).opened();
    const { call_id: id } = await client.configure();
    const finals = () => client.transcripts.filter(({ role, final }) => role === 'agent' && final);
    press(client, '77#');
    await client.silenceUntil(() => finals().length === 1);
    // The call is announced to the model before its first question, under the same name.
    expect(finals()[0]?.text).toMatch(/^\d+ prepared \(keypad\) 77$/);
    press(client, '666#');
    await client.silenceUntil(() => finals().length === 2);
    expect(finals()[1]?.text).toMatch(APOLOGY);
    press(client, '12#');
    await client.silenceUntil(() => finals().length === 3);
    expect(finals()[2]?.text).toMatch(/\(keypad\) 12$/);
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

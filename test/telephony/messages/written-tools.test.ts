import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { BrainError, type BrainEvent, type BrainRequest } from '../../../src/conversation/brains/index.ts';
import { SYSTEM_ACTOR } from '../../../src/foundation/audit/index.ts';
import { ApiError } from '../../../src/foundation/platform/errors.ts';
import { AGENT_LANGUAGE_WORDS } from '../../../src/language/text/index.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { until } from '../../poll.ts';
import { OURS, openWriting, PERSON } from './writing.ts';

type Json = Record<string, unknown>;
interface Received {
  readonly body: { readonly data: Json };
  readonly signature: string | undefined;
}

async function toolServer(answers: Json | null) {
  const heard: Received[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    heard.push({ body: JSON.parse(text), signature: String(request.headers['x-svc-signature']) });
    if (answers !== null) response.end(JSON.stringify(answers));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tool` };
}

const call = (name: string, args: object, id = 'c1'): BrainEvent => ({
  kind: 'tool_call',
  call: { id, name, arguments: JSON.stringify(args) },
});
const text = (words: string): BrainEvent => ({ kind: 'text', text: words });
const lastTool = ({ messages }: BrainRequest): string | null => {
  const last = messages.at(-1);
  return last?.role === 'tool' ? last.content : null;
};
const writes = ['send_message'] as const;

onBothDatabases('an agent that answers in writing', (databases) => {
  const orders = (url: string, more: object = {}) => ({
    name: 'look_up_order',
    kind: 'webhook' as const,
    url,
    parameters: {
      type: 'object',
      properties: { order: { type: 'string' } },
      required: ['order'],
      additionalProperties: false,
    },
    ...more,
  });

  // @requirement Messages: Written answers call tools once, signed and in time.
  it('asks its tools, which are signed and told what they are asked for', async () => {
    const { heard, url } = await toolServer({ day: 'Friday' });
    const opened = await openWriting(databases, { builtin_tools: [...writes] }, (request) => {
      const reported = lastTool(request);
      if (reported === null)
        return [text('Let me see.'), call('look_up_order', { order: 4711 }), call('forget', {}, 'c2')];
      if (reported.includes('error')) return [call('look_up_order', { order: '4711' })];
      return `It ships on ${(JSON.parse(reported) as { day: string }).day}.`;
    });
    const { services, scope, agent, carrier, asked, idle, bodies, messages } = opened;
    const tools = await Promise.all(
      [
        orders(url),
        { name: 'open_page', kind: 'client' as const },
        { ...orders(url), name: 'refund', confirm: true },
      ].map((tool) => services.editing.create(scope, tool, SYSTEM_ACTOR)),
    );
    await services.agents.patch(scope, agent.id, { tool_ids: tools.map(({ id }) => id) }, false);
    await carrier.write(PERSON, OURS, 'Where is order 4711?');
    await idle();
    expect(await bodies()).toEqual(['It ships on Friday.']);
    // No client is connected that could run a client's tool, or confirm one.
    expect(asked[0]?.tools.map(({ name }) => name)).toEqual(['look_up_order']);
    expect(asked[1]?.messages.slice(-2)).toMatchObject([
      { role: 'tool', callId: 'c1', content: expect.stringContaining('must be string') },
      { role: 'tool', callId: 'c2', content: expect.stringContaining('there is no tool forget') },
    ]);
    const [received] = await messages.store.list(scope, { direction: 'inbound' }, {}, null);
    expect(heard).toHaveLength(1);
    expect(heard[0]?.signature).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(heard[0]?.body.data).toEqual({
      tool_call_id: expect.stringMatching(/^tool_[0-9a-f]{20}$/),
      name: 'look_up_order',
      arguments: { order: '4711' },
      call_id: received?.id,
      agent_id: agent.id,
      session_label: null,
      external_id: PERSON,
    });
  });

  it('is offered no tool in writing that stands behind a required step of its flow', async () => {
    const { heard, url } = await toolServer({ day: 'Friday' });
    const opened = await openWriting(databases, { builtin_tools: [...writes, 'transfer'] }, (request) =>
      lastTool(request) === null ? [call('refund', { order: '4711' })] : 'I cannot do that in writing.',
    );
    const { services, scope, agent, carrier, asked, idle, bodies } = opened;
    const tools = await Promise.all(
      [orders(url), { ...orders(url), name: 'refund' }].map((tool) =>
        services.editing.create(scope, tool, SYSTEM_ACTOR),
      ),
    );
    const flow = {
      start: 'hello',
      nodes: [
        { id: 'hello', type: 'say', instruction: 'Help.', tools: ['look_up_order'] },
        { id: 'verify', type: 'ask', required: true, slots: [{ name: 'order', kind: 'digits' }] },
        { id: 'refund', type: 'tool', tool: 'refund', arguments: { order: '{order}' } },
        { id: 'person', type: 'transfer', to: 'desk' },
        { id: 'bye', type: 'end' },
      ],
      edges: [
        { from: 'hello', to: 'verify', when: { intent: 'refund', phrases: ['refund'] } },
        { from: 'hello', to: 'bye', when: { attempts: true } },
        { from: 'verify', to: 'refund' },
        { from: 'verify', to: 'bye', when: { attempts: true } },
        { from: 'refund', to: 'person' },
        { from: 'refund', to: 'bye', when: { result: 'failed' } },
      ],
    };
    const tool_ids = tools.map(({ id }) => id);
    await services.agents.patch(scope, agent.id, { tool_ids, flow } as never, false);
    await carrier.write(PERSON, OURS, 'Refund order 4711.');
    await idle();
    expect(await bodies()).toEqual(['I cannot do that in writing.']);
    expect(asked[0]?.tools.map(({ name }) => name)).toEqual(['look_up_order']);
    expect(asked[1]?.messages.at(-1)?.content).toContain('there is no tool refund');
    expect(heard).toEqual([]);
  });

  it('waits for no tool longer than the tool may take', async () => {
    const { heard, url } = await toolServer(null);
    const opened = await openWriting(databases, { builtin_tools: [...writes] }, (request) =>
      lastTool(request) === null
        ? [call('look_up_order', { order: '1' })]
        : `Sorry: ${(JSON.parse(lastTool(request) as string) as { error: string }).error}.`,
    );
    const { services, scope, agent, carrier, idle, bodies } = opened;
    const tool = await services.editing.create(scope, orders(url, { timeout_ms: 100 }), SYSTEM_ACTOR);
    await services.agents.patch(scope, agent.id, { tool_ids: [tool.id] }, false);
    await carrier.write(PERSON, OURS, 'Where is order 1?');
    await idle();
    expect([await bodies(), heard.length]).toEqual([['Sorry: the tool did not answer in time.'], 1]);
  });

  it('names a call of a second try as that of the first, and is billed for one answer', async () => {
    const { heard, url } = await toolServer({ day: 'Friday' });
    let away = true;
    const opened = await openWriting(databases, { builtin_tools: [...writes] }, (request) => {
      if (lastTool(request) === null) return [call('look_up_order', { order: '4711' })];
      if (away) throw new BrainError('unreachable', 'away', { retryable: true });
      return 'On Friday.';
    });
    const { services, scope, agent, carrier, clock, asked, bodies, billed, waiting, messages } = opened;
    const tool = await services.editing.create(scope, orders(url), SYSTEM_ACTOR);
    await services.agents.patch(scope, agent.id, { tool_ids: [tool.id] }, false);
    await carrier.write(PERSON, OURS, 'Where is order 4711?');
    await until(() => asked.length === 2);
    away = false;
    await until(async () => {
      clock.advance(5_000);
      return (await waiting()) === 0;
    });
    const ids = heard.map(({ body }) => body.data.tool_call_id);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
    expect(await bodies()).toEqual(['On Friday.']);
    expect(await billed()).toEqual([{ meter: 'messages', calls: 1, milliseconds: 0 }]);
    const [received] = await messages.store.list(scope, { direction: 'inbound' }, {}, null);
    const events = await opened.storage.db.selectFrom('usage_events').selectAll().execute();
    expect(events).toMatchObject([{ id: `use_${received?.id}`, resource: received?.id, key_id: null }]);
    const holds = () => opened.storage.db.selectFrom('usage_holds').selectAll().execute();
    await until(async () => (await holds()).length === 0);
  });

  // @requirement Messages: A conversation is handed over to a person and given back.
  it('hands over to a person, and is silent until the conversation is given back', async () => {
    const opened = await openWriting(
      databases,
      { builtin_tools: [...writes, 'transfer', 'remember'] },
      (request) => {
        const last = request.messages.at(-1);
        if (last?.role === 'tool') return 'Noted.';
        if (last?.content.includes('twice'))
          return [
            text('A colleague will write to you.'),
            call('transfer', { to: 'billing', summary: 'Charged twice for 4711.' }),
          ];
        return last?.content.includes('Ana') ? [call('remember', { fact: 'Her name is Ana.' })] : 'Hello.';
      },
    );
    const { carrier, clock, scope, agent, messages, asked, bodies, idle, events, billed } = opened;
    const write = async (words: string) => {
      clock.advance(1000);
      await carrier.write(PERSON, OURS, words);
      await idle();
    };
    await write('I am Ana.');
    await write('You charged me twice!');
    const handed = {
      id: expect.stringMatching(/^mho_/),
      object: 'message.hand_over',
      number: OURS,
      person: PERSON,
      agent_id: agent.id,
      to: 'billing',
      summary: 'Charged twice for 4711.',
      message_id: expect.stringMatching(/^msg_/),
      created_at: expect.stringMatching(/^2026-11-22T12:00:/),
    };
    const reported = await events('message.handed_over');
    expect(reported.map(({ body }) => (JSON.parse(body) as Json).data)).toEqual([handed]);
    const [row, ...others] = await messages.handOvers.list(scope, {}, null);
    expect([row?.external_id, others]).toEqual([PERSON, []]);
    const before = asked.length;
    await write('Hello?');
    await write('Are you there?');
    expect(asked).toHaveLength(before);
    expect(await bodies()).toEqual(['Noted.', 'A colleague will write to you.']);
    expect(await billed()).toEqual([{ meter: 'messages', calls: 2, milliseconds: 0 }]);
    expect(await messages.handOvers.giveBack(scope, row?.id ?? '', SYSTEM_ACTOR)).toBe(true);
    expect(await messages.handOvers.giveBack(scope, row?.id ?? '', SYSTEM_ACTOR)).toBe(false);
    await write('Good morning.');
    expect((await bodies()).at(-1)).toBe('Hello.');
    expect(asked.at(-1)?.messages[0]?.content).toContain('Her name is Ana.');
  });

  // @requirement Messages: Trace rules act on written messages.
  it('says so in its language where the model only hands over, and does so where a rule demands it', async () => {
    const opened = await openWriting(
      databases,
      { language: 'es', builtin_tools: [...writes] },
      ({ messages }) =>
        messages.at(-1)?.content === 'Demanda'
          ? 'Le garantizo que ganará.'
          : [{ kind: 'action', action: 'hand_over' }],
      {
        guard: async () => ({
          writes: async (words) =>
            words.includes('garantizo') ? { kind: 'handed_over', instead: 'Le paso con un colega.' } : null,
          reads: async (words) =>
            words.includes('abogado') ? { kind: 'handed_over', instead: 'Le paso con un abogado.' } : null,
        }),
      },
    );
    const { carrier, clock, scope, messages, bodies, idle } = opened;
    await carrier.write(PERSON, OURS, 'Una persona, por favor');
    await idle();
    expect(await bodies()).toEqual([AGENT_LANGUAGE_WORDS.es.phrases.handOver]);
    const [first] = await messages.handOvers.list(scope, {}, null);
    expect(first).toMatchObject({ wanted: null, summary: 'Una persona, por favor' });
    await messages.handOvers.giveBack(scope, first?.id ?? '', SYSTEM_ACTOR);
    clock.advance(1000);
    await carrier.write(PERSON, OURS, 'Demanda');
    await idle();
    expect((await bodies()).at(-1)).toBe('Le paso con un colega.');
    const [second, ...none] = await messages.handOvers.list(scope, {}, null);
    expect([second?.summary, none]).toEqual(['Demanda', []]);
    await messages.handOvers.giveBack(scope, second?.id ?? '', SYSTEM_ACTOR);
    clock.advance(1000);
    await carrier.write(PERSON, OURS, 'Mi abogado');
    await idle();
    expect((await bodies()).at(-1)).toBe('Le paso con un abogado.');
    expect(opened.asked).toHaveLength(2);
  });

  it('says that it could not where a model calls tools without an end', async () => {
    const opened = await openWriting(databases, { builtin_tools: [...writes] }, () => [call('look', {})]);
    const { carrier, asked, bodies, idle } = opened;
    await carrier.write(PERSON, OURS, 'Hello?');
    await idle();
    expect(await bodies()).toEqual([AGENT_LANGUAGE_WORDS.en.phrases.apology]);
    expect(asked).toHaveLength(4);
  });

  it('writes nothing where a person has taken over while it was thinking', async () => {
    const taken = { by: async () => undefined as unknown };
    const opened = await openWriting(databases, { builtin_tools: [...writes] }, async () => {
      await taken.by();
      return 'Hello.';
    });
    const { carrier, scope, messages, bodies, idle, billed, events } = opened;
    const pair = { ours: OURS, theirs: PERSON };
    taken.by = () => messages.takeOver(scope, pair, null, SYSTEM_ACTOR);
    await carrier.write(PERSON, OURS, 'Hello?');
    await idle();
    expect([await bodies(), await billed()]).toEqual([[], []]);
    const again = await messages.takeOver(scope, pair, 'Once more.', SYSTEM_ACTOR);
    expect([again.summary, again.agent_id]).toEqual([null, null]);
    expect(await events('message.handed_over')).toHaveLength(1);
    const others = messages.takeOver(scope, { ...pair, ours: '+15005550009' }, null, SYSTEM_ACTOR);
    await expect(others).rejects.toThrow(ApiError);
  });

  // @requirement Messages: Written answers are admitted before and billed once.
  it('is silent once there is a price and no credit, and costs nothing for an empty answer', async () => {
    const opened = await openWriting(databases, { builtin_tools: [...writes] }, ({ messages }) =>
      messages.at(-1)?.content === 'nothing' ? '' : 'Hello.',
    );
    const { carrier, clock, billing, asked, bodies, idle, billed, key } = opened;
    const write = async (words: string) => {
      clock.advance(1000);
      await carrier.write(PERSON, OURS, words);
      await idle();
    };
    await write('nothing');
    expect(await billed()).toEqual([]);
    // The price is not set: a free message needs no credit.
    await write('Hello?');
    expect([await bodies(), asked.length]).toEqual([['Hello.'], 2]);
    expect(await billed()).toEqual([{ meter: 'messages', calls: 1, milliseconds: 0 }]);
    const price = { meter: 'messages' as const, from_month: '2026-12', micros: 2_000, per: 1, free_units: 0 };
    await billing.priceBook.put(price);
    clock.advance(10 * 86_400_000);
    await write('Hello?');
    expect(asked).toHaveLength(2);
    await billing.addCredit({ orgId: key.orgId, amountMicros: 3_000 });
    await write('And now?');
    expect(asked).toHaveLength(3);
    await write('And now?');
    expect(asked).toHaveLength(3);
    const { balanceMicros } = await billing.creditStatus({
      orgId: key.orgId,
      keyId: key.id,
      environment: 'live',
    });
    expect(balanceMicros).toBe(1_000n);
  });
});

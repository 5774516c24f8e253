// @requirement Agents: A call takes its agent by id or by token, and `configure` overrides what the profile allows.
// @requirement Agents: Agents have the built-in tools `end_call`, `hand_over`, `capture`, `remember`, `wait_for`, `send_message` and `send_keys`.
// @requirement Knowledge: Bases are bound to agents or to the organization.
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Receiver } from '../../../foundation/webhooks/receiver.ts';
import { itLong, sampleOf } from '../../../long-tests.ts';
import { agentSaid, hangUp, openAgent } from './agent.ts';
import { absent, Client, VOICE } from './server.ts';

const LOW = [697, 770, 852, 941];
const HIGH = [1209, 1336, 1477];

/** Generates DTMF by ITU-T Q.23: tones of 100 ms and pauses of 100 ms. */
function touchTones(keys: string, rate: number): Buffer {
  const pcm = Buffer.alloc((keys.length * rate * 2) / 5);
  for (const [nth, key] of [...keys].entries()) {
    const place = '123456789*0#'.indexOf(key);
    const [low, high] = [LOW[Math.floor(place / 3)]!, HIGH[place % 3]!];
    for (let at = 0; at < rate / 10; at++) {
      const phase = (2 * Math.PI * at) / rate;
      const sample = 8_000 * (Math.sin(low * phase) + Math.sin(high * phase));
      pcm.writeInt16LE(Math.round(sample), 2 * (Math.floor((nth * rate) / 5) + at));
    }
  }
  return pcm;
}

describe.skipIf(Boolean(absent))('an agent in a call', () => {
  it('is loaded by its id, and the record names the version that served', async () => {
    const opened = await openAgent({
      persona: 'You are Maya of Acme.',
      greeting: 'Acme, good morning.',
      barge_sensitivity: -40,
      endpointing: 'quick',
      vocabulary: ['Acme'],
      time_zone: 'Asia/Tokyo',
      brain: 'fast',
    });
    await opened.services.agents.patch(opened.scope, opened.agent.id, { persona: 'A draft.' }, true);
    const { client, ack } = await opened.connect();
    expect(ack).toMatchObject({ voice_id: VOICE, language_active: 'en' });
    expect(opened.lanes[0]).toMatchObject({
      bargeSensitivity: -40,
      endpointingMs: 300,
      vocabulary: ['Acme'],
    });
    await agentSaid(client, /good morning/);
    client.control({ type: 'user_text', text: 'Hello there.' });
    await agentSaid(client, /All right/);
    expect(opened.asked[0]).toMatchObject({
      persona: 'You are Maya of Acme.',
      timeZone: 'Asia/Tokyo',
      brain: 'fast',
      grounding: 'open',
    });
    await hangUp(client);
    expect(await opened.record(ack.call_id)).toMatchObject({
      agent_id: opened.agent.id,
      agent_version: 1,
      session_label: opened.agent.id,
    });
  });

  // @requirement Omni: The record of a call with a speaker lock says what others said, when and how much.
  itLong('with a speaker lock tells the engine, and the record says what was left out and why', async () => {
    const opened = await openAgent({ greeting: 'Acme, good morning.', primary_speaker: true });
    const { client, ack } = await opened.connect();
    await agentSaid(client, /good morning/);
    const lane = opened.lanes[0]!;
    expect(lane.locksSpeaker).toBe(true);
    lane.onEvent({ kind: 'left_out', words: 6, startMs: 4100.4, endMs: 6200.7 });
    await hangUp(client);
    const record = await opened.record(ack.call_id);
    expect(record.left_out).toEqual([{ start_ms: 4100, end_ms: 6201, words: 6, reason: 'other_voice' }]);
  });

  itLong('without a speaker lock leaves nothing out, and the record has no list of it', async () => {
    const opened = await openAgent({ greeting: 'Acme, good morning.' });
    const { client, ack } = await opened.connect();
    await agentSaid(client, /good morning/);
    expect(opened.lanes[0]).not.toHaveProperty('locksSpeaker');
    await hangUp(client);
    expect(await opened.record(ack.call_id)).not.toHaveProperty('left_out');
  });

  const wished = [
    { denoise: 'recording', recordings_enabled: true, isDenoised: true },
    { denoise: 'transfer', recordings_enabled: true, isDenoised: undefined },
    // The engine admits a denoising lane at a higher cost.
    { denoise: 'recording', recordings_enabled: false, isDenoised: undefined },
  ] as const;
  it.each(sampleOf(wished, 3))(
    'has its recordings without the caller’s noise where it asks for that: %o',
    async (wishes) => {
      const { denoise, recordings_enabled, isDenoised } = wishes;
      const opened = await openAgent({
        greeting: 'Acme, good morning.',
        denoise: [denoise],
        recordings_enabled,
      });
      const { client } = await opened.connect();
      await agentSaid(client, /good morning/);
      expect(opened.lanes[0]?.recording !== undefined).toBe(recordings_enabled);
      expect(opened.lanes[0]?.denoisesRecording).toBe(isDenoised);
      await hangUp(client);
    },
  );

  it('is overridden by configure, word by word', async () => {
    const opened = await openAgent({ persona: 'Mine.', greeting: 'Mine.' });
    const { client } = await opened.connect({ greeting: 'Yours.', persona: 'Yours.' });
    await agentSaid(client, /Yours/);
    client.control({ type: 'user_text', text: 'Hi.' });
    await agentSaid(client, /All right/);
    expect(opened.asked[0]?.persona).toBe('Yours.');
    await hangUp(client);
  });

  it('that was only drafted takes no call: the client is told, and nothing is broken', async () => {
    const opened = await openAgent({});
    const draft = await opened.services.agents.create(opened.scope, { name: 'Draft' }, true);
    const client = await new Client(opened.url, `format=pcm16&rate=8000&session_label=${draft.id}`).opened();
    client.control({ type: 'configure' });
    expect(await client.event('error')).toMatchObject({
      error: { message: expect.stringMatching(/published/), param: 'agent_id' },
    });
    expect(await client.closed()).toBe(1008);
  });

  it('of another organization is only a label', async () => {
    const opened = await openAgent({ greeting: 'Mine.' });
    const { client, ack } = await opened.connect({ voice_id: VOICE }, `agt_${'0'.repeat(20)}`);
    await hangUp(client);
    expect(await opened.record(ack.call_id)).toMatchObject({ agent_id: null, agent_version: null });
  });

  itLong(
    'says its own words when nobody answers, and ends when its time is over',
    async () => {
      const opened = await openAgent({
        idle: { ask_after_s: 3, times: 1 },
        phrases: { still_there: 'Anybody?', farewell: 'Bye now.' },
        max_duration_s: 10,
      });
      const { client, ack } = await opened.connect();
      await agentSaid(client, /Anybody/);
      await client.silenceUntil(() => client.closeCode !== null);
      expect(client.controls.findLast(({ event }) => event === 'ended')?.reason).toBe('caller_idle');
      expect(await opened.record(ack.call_id)).toMatchObject({ end_reason: 'caller_idle' });
    },
    30_000,
  );

  it('hands the call to another agent and gets it back: one call, one record', async () => {
    const opened = await openAgent(
      { persona: 'You are the front desk.', builtin_tools: ['handoff'] },
      { answers: [] },
    );
    const billing = await opened.services.agents.create(
      opened.scope,
      {
        name: 'Billing',
        persona: 'You are Billing.',
        language: 'es',
        builtin_tools: ['handoff', 'end_call'],
      },
      false,
    );
    opened.answer(
      'Hello.',
      {
        tool: 'handoff',
        args: { agent_id: billing.id, context: 'slots', slots: { order: '4711' }, say: 'One moment.' },
      },
      'Soy Facturación.',
      { tool: 'handoff', args: { agent_id: opened.agent.id, context: 'all' } },
      'Back at the front desk.',
    );
    const { client, ack } = await opened.connect();
    client.control({ type: 'user_text', text: 'Hi.' });
    await agentSaid(client, /Hello/);
    client.control({ type: 'user_text', text: 'I have a question about my bill.' });
    await agentSaid(client, /One moment/);
    await agentSaid(client, /Facturación/);
    const [, , taken] = opened.asked;
    expect(taken).toMatchObject({ persona: 'You are Billing.', language: 'es' });
    expect(taken?.tools.map(({ name }) => name)).toEqual(['handoff', 'end_call']);
    const reported = JSON.stringify(taken?.messages);
    expect(reported).toContain('Known: order=4711');
    expect(reported).not.toContain('a question about my bill');
    client.control({ type: 'user_text', text: 'Gracias.' });
    await agentSaid(client, /Back at the front desk/);
    expect(opened.asked.at(-1)).toMatchObject({ persona: 'You are the front desk.', language: 'en' });
    await hangUp(client);
    const record = await opened.record(ack.call_id);
    expect(record).toMatchObject({
      agent_id: opened.agent.id,
      agents: [
        { agent_id: opened.agent.id, from_ms: 0, context: null, turns: 2 },
        { agent_id: billing.id, agent_version: 1, context: 'slots', turns: 1 },
        { agent_id: opened.agent.id, context: 'all', turns: 1 },
      ],
      language_changes: [
        { from: 'en', to: 'es', reason: 'tool' },
        { from: 'es', to: 'en', reason: 'tool' },
      ],
    });
    const agents = record.agents as { from_ms: number; to_ms: number; talk_ms: number }[];
    expect(agents.map(({ to_ms }) => to_ms).slice(0, 2)).toEqual(
      agents.map(({ from_ms }) => from_ms).slice(1),
    );
    expect(agents.every(({ talk_ms }) => talk_ms > 0)).toBe(true);
    expect(JSON.stringify(record.transcript)).toContain('a question about my bill');
  });

  itLong(
    'comes back to its agent in the version that it began with, and keeps the language of the caller',
    async () => {
      const opened = await openAgent(
        { persona: 'Version one.', languages: ['es'], builtin_tools: ['handoff', 'switch_language'] },
        { answers: [] },
      );
      const billing = await opened.services.agents.create(
        opened.scope,
        { name: 'Billing', persona: 'You are Billing.', languages: ['es'], builtin_tools: ['handoff'] },
        false,
      );
      opened.answer(
        { tool: 'switch_language', args: { language: 'es' } },
        'Claro.',
        { tool: 'handoff', args: { agent_id: billing.id, context: 'all' } },
        'Soy Facturación.',
        { tool: 'handoff', args: { agent_id: opened.agent.id, context: 'all' } },
        'De nuevo en recepción.',
      );
      const { client, ack } = await opened.connect();
      client.control({ type: 'user_text', text: 'En español, por favor.' });
      await agentSaid(client, /Claro/);
      await opened.services.agents.patch(opened.scope, opened.agent.id, { persona: 'Version two.' }, false);
      client.control({ type: 'user_text', text: 'Mi factura.' });
      await agentSaid(client, /Facturación/);
      expect(opened.asked.at(-1)).toMatchObject({ persona: 'You are Billing.', language: 'es' });
      client.control({ type: 'user_text', text: 'Gracias.' });
      await agentSaid(client, /recepción/);
      expect(opened.asked.at(-1)).toMatchObject({ persona: 'Version one.', language: 'es' });
      await hangUp(client);
      const record = await opened.record(ack.call_id);
      expect(record).toMatchObject({
        agents: [
          { agent_version: 1 },
          { agent_id: billing.id },
          { agent_id: opened.agent.id, agent_version: 1 },
        ],
      });
      expect(record.language_changes).toHaveLength(1);
    },
  );

  itLong('is held to the rules of the agent that has the call', async () => {
    const guarded: string[] = [];
    const ruling = {
      kind: 'blocked' as const,
      rule: 'house@1.0.0/prices',
      instead: 'I may not name prices.',
    };
    const opened = await openAgent(
      { persona: 'You are the front desk.', builtin_tools: ['handoff'] },
      {
        guards: {
          guardFor: async (_scope, agentId) =>
            guarded.includes(String(agentId)) ? { spoken: () => ruling } : null,
        },
      },
    );
    const billing = await opened.services.agents.create(
      opened.scope,
      { name: 'Billing', builtin_tools: ['handoff'] },
      false,
    );
    guarded.push(billing.id);
    opened.answer(
      'It costs ten euros.',
      { tool: 'handoff', args: { agent_id: billing.id, context: 'all' } },
      'It costs twelve euros.',
      { tool: 'handoff', args: { agent_id: opened.agent.id, context: 'all' } },
      'It costs eleven euros.',
    );
    const { client, ack } = await opened.connect();
    client.control({ type: 'user_text', text: 'How much is it?' });
    await agentSaid(client, /ten euros/);
    client.control({ type: 'user_text', text: 'To billing, please.' });
    await agentSaid(client, /may not name prices/);
    client.control({ type: 'user_text', text: 'Back, please.' });
    await agentSaid(client, /eleven euros/);
    await hangUp(client);
    expect(JSON.stringify((await opened.record(ack.call_id)).transcript)).not.toContain('twelve');
  });

  itLong('goes on with its agent where the other cannot take the call', async () => {
    const opened = await openAgent(
      { persona: 'You are the front desk.', builtin_tools: ['handoff'] },
      {
        answers: [
          { tool: 'handoff', args: { agent_id: `agt_${'0'.repeat(20)}`, context: 'all' } },
          'I have to help you myself.',
        ],
      },
    );
    const { client } = await opened.connect();
    client.control({ type: 'user_text', text: 'My bill, please.' });
    await agentSaid(client, /help you myself/);
    expect(opened.asked[1]).toMatchObject({ persona: 'You are the front desk.' });
    await hangUp(client);
  });

  itLong('goes from its flow to another agent, and on behind it', async () => {
    const opened = await openAgent({ persona: 'Billing.', builtin_tools: ['handoff'] });
    const testbed = await opened.services.agents.create(
      opened.scope,
      {
        name: 'Desk',
        flow: {
          start: 'hello',
          nodes: [
            { id: 'hello', type: 'say', say: 'To billing, please hold.' },
            { id: 'billing', type: 'handoff', agent_id: opened.agent.id, context: 'all' },
            { id: 'bye', type: 'end', say: 'Goodbye from the desk.' },
          ],
          edges: [
            { from: 'hello', to: 'billing' },
            { from: 'billing', to: 'bye' },
            { from: 'billing', to: 'bye', when: { result: 'failed' } },
          ],
        },
      },
      false,
    );
    opened.answer('Billing here.', { tool: 'handoff', args: { agent_id: testbed.id, context: 'all' } });
    const { client, ack } = await opened.connect({}, testbed.id);
    await agentSaid(client, /please hold/);
    await agentSaid(client, /Billing here/);
    client.control({ type: 'user_text', text: 'Thank you, that was all.' });
    await agentSaid(client, /Goodbye from the desk/);
    expect(await client.closed()).toBe(1000);
    expect(await opened.record(ack.call_id)).toMatchObject({
      agent_id: testbed.id,
      path: [{ node: 'hello' }, { node: 'billing', left_by: 'otherwise' }, { node: 'bye', left_by: 'ended' }],
      agents: [{ agent_id: testbed.id }, { agent_id: opened.agent.id }, { agent_id: testbed.id }],
    });
  });

  itLong('goes on in another language from the next turn on, and the record says when and why', async () => {
    const opened = await openAgent(
      { persona: 'You are Maya.', languages: ['es'], builtin_tools: ['switch_language'] },
      {
        answers: [
          { tool: 'switch_language', args: { language: 'fr' } },
          'I only speak English and Spanish.',
          { tool: 'switch_language', args: { language: 'es' } },
          'Claro, hablemos español.',
        ],
      },
    );
    const { client, ack } = await opened.connect();
    client.control({ type: 'user_text', text: 'Français?' });
    await agentSaid(client, /only speak English/);
    client.control({ type: 'user_text', text: 'Can we speak Spanish?' });
    await agentSaid(client, /hablemos/);
    expect(opened.asked.map(({ language }) => language)).toEqual(['en', 'en', 'en', 'es']);
    expect(await client.event('language_changed')).toMatchObject({ from: 'en', to: 'es', reason: 'tool' });
    await hangUp(client);
    expect(await opened.record(ack.call_id)).toMatchObject({
      language_changes: [{ from: 'en', to: 'es', reason: 'tool', at_ms: expect.any(Number) }],
    });
  });

  it('is held to its flow: later tools are refused, and the record tells the path', async () => {
    const opened = await openAgent(
      {
        persona: 'The long persona of the whole shop.',
        flow: {
          start: 'wish',
          persona: 'You are Maya.',
          nodes: [
            { id: 'wish', type: 'say', instruction: 'Ask what they want.' },
            {
              id: 'size',
              type: 'ask',
              required: true,
              slots: [
                { name: 'size', kind: 'choice', options: ['small', 'large'], prompt: 'Small or large?' },
              ],
            },
            { id: 'order', type: 'tool', tool: 'place_order', arguments: { size: '{size}' } },
            { id: 'bye', type: 'end', say: 'Your {size} pizza comes. Goodbye.' },
            { id: 'sorry', type: 'end', say: 'Sorry.' },
          ],
          edges: [
            { from: 'wish', to: 'size', when: { intent: 'order', phrases: ['a pizza'] } },
            { from: 'wish', to: 'sorry', when: { attempts: true } },
            { from: 'size', to: 'order' },
            { from: 'size', to: 'sorry', when: { attempts: true } },
            { from: 'order', to: 'bye' },
            { from: 'order', to: 'sorry', when: { result: 'failed' } },
          ],
        },
      },
      {
        tools: [{ name: 'place_order', kind: 'client' }],
        answers: [
          'Hello, what would you like?',
          { tool: 'place_order', args: {} },
          'First I need to know more.',
        ],
      },
    );
    const { client, ack } = await opened.connect();
    await agentSaid(client, /what would you like/);
    client.control({ type: 'user_text', text: 'Just send me something.' });
    await agentSaid(client, /First I need/);
    client.control({ type: 'user_text', text: 'A pizza, then.' });
    await agentSaid(client, /Small or large/);
    client.control({ type: 'user_text', text: 'The large one.' });
    const call = await client.event('tool_call');
    expect(call).toMatchObject({ name: 'place_order', arguments: { size: 'large' } });
    client.control({ type: 'tool_result', call_id: call.call_id, result: { ok: true } });
    await agentSaid(client, /Your large pizza comes/);
    expect(await client.closed()).toBe(1000);
    expect(client.controls.filter(({ event }) => event === 'flow_node')).toEqual([
      { event: 'flow_node', node: 'wish', from: null },
      { event: 'flow_node', node: 'size', from: 'wish' },
      { event: 'flow_node', node: 'order', from: 'size' },
      { event: 'flow_node', node: 'bye', from: 'order' },
    ]);
    expect(opened.asked[0]?.persona).toMatch(/^You are Maya\.\nNow: Ask what they want\./);
    const record = await opened.record(ack.call_id);
    expect(record).toMatchObject({
      end_reason: 'agent_ended',
      path: [
        { node: 'wish', left_by: 'intent', reason: 'the caller wants order' },
        { node: 'size', left_by: 'otherwise' },
        { node: 'order', left_by: 'otherwise' },
        { node: 'bye', left_by: 'ended' },
      ],
      flow_refused: [{ node: 'wish', wanted: 'place_order', reason: expect.stringContaining('size') }],
    });
  });

  it('ends the call by its tool, with its farewell', async () => {
    const opened = await openAgent(
      { builtin_tools: ['end_call'], phrases: { farewell: 'So long.' } },
      { answers: [{ tool: 'end_call', args: {} }] },
    );
    const { client } = await opened.connect();
    client.control({ type: 'user_text', text: 'That was all.' });
    await agentSaid(client, /So long/);
    expect(await client.closed()).toBe(1000);
    expect(client.controls.at(-1)).toMatchObject({ event: 'ended', reason: 'agent_ended' });
  });

  itLong('hands over with a summary', async () => {
    const opened = await openAgent(
      { builtin_tools: ['transfer'] },
      { answers: [{ tool: 'transfer', args: { to: 'billing', summary: 'A wrong bill.' } }] },
    );
    const { client } = await opened.connect();
    client.control({ type: 'user_text', text: 'A person, please.' });
    expect(await client.closed()).toBe(1000);
    expect(client.controls.find(({ event }) => event === 'hand_over')).toEqual({
      event: 'hand_over',
      to: 'billing',
      summary: 'A wrong bill.',
    });
    expect(client.controls.at(-1)).toMatchObject({ event: 'ended', reason: 'hand_over' });
  });

  it('captures a value by itself, reads it back, and tells the model', async () => {
    const opened = await openAgent(
      { builtin_tools: ['capture'] },
      { answers: [{ tool: 'capture', args: { slot: 'order', kind: 'digits' } }, 'I have it.'] },
    );
    const { client } = await opened.connect();
    client.control({ type: 'user_text', text: 'Where is my order?' });
    await agentSaid(client, /number/);
    client.control({ type: 'user_text', text: 'four seven one one' });
    await agentSaid(client, /4|four/i);
    client.control({ type: 'user_text', text: 'yes' });
    expect(await client.event('captured')).toMatchObject({
      slot: 'order',
      kind: 'digits',
      value: '4711',
      confirmed: 'read_back',
    });
    await agentSaid(client, /I have it/);
    expect(opened.asked).toHaveLength(2);
    expect(opened.asked[1]?.messages.at(-1)?.content).toContain('"value":"4711"');
    await hangUp(client);
  });

  itLong('captures by the client’s own frame, by keys, and the model is not asked', async () => {
    const opened = await openAgent({});
    const { client } = await opened.connect();
    client.control({ type: 'capture', slot: 'pin', kind: 'digits', prompt: 'Type your number.' });
    await agentSaid(client, /Type your number/);
    client.control({ type: 'dtmf', digits: '90210#' });
    expect(await client.event('captured')).toMatchObject({ slot: 'pin', value: '90210', confirmed: 'keys' });
    expect(opened.asked).toEqual([]);
    await hangUp(client);
  });

  // @requirement Capture: A lookup of the agent holds the accepted values, and `captured` names the row.
  itLong('reads a name against its records, and offers what sounds alike', async () => {
    const values = ['Weber', { value: 'Schmidt', id: 'c-1' }, { value: 'Schmitt', id: 'c-2' }];
    const opened = await openAgent(
      { builtin_tools: ['capture'], lookups: [{ name: 'customers', values }] },
      {
        answers: [
          { tool: 'capture', args: { slot: 'customer', kind: 'name', lookup: 'customers' } },
          'I have it.',
        ],
      },
    );
    const { client } = await opened.connect();
    client.control({ type: 'user_text', text: 'Where is my order?' });
    await agentSaid(client, /name/);
    client.control({ type: 'user_text', text: 'my name is Schmidt' });
    await agentSaid(client, /Schmidt with D T, or Schmitt with double T/);
    client.control({ type: 'user_text', text: 'with double T' });
    expect(await client.event('captured')).toMatchObject({
      slot: 'customer',
      value: 'Schmitt',
      confirmed: 'read_back',
      record_id: 'c-2',
    });
    await agentSaid(client, /I have it/);
    expect(opened.asked[1]?.messages.at(-1)?.content).toContain('"record_id":"c-2"');
    await hangUp(client);
  });

  itLong('asks a tool for the rows that an answer may mean', async () => {
    const opened = await openAgent(
      { lookups: [{ name: 'streets', tool: 'find_street' }] },
      {
        tools: [
          {
            name: 'find_street',
            kind: 'client',
            parameters: { type: 'object', properties: { heard: { type: 'string' } }, required: ['heard'] },
          },
        ],
      },
    );
    const { client } = await opened.connect();
    client.control({
      type: 'capture',
      slot: 'street',
      kind: 'name',
      lookup: 'streets',
      prompt: 'Which street?',
    });
    await agentSaid(client, /Which street/);
    client.control({ type: 'user_text', text: 'Ok Street' });
    const asked = await client.event('tool_call');
    expect(asked.arguments).toEqual({ heard: 'Ok Street' });
    client.control({
      type: 'tool_result',
      call_id: asked.call_id,
      result: ['Oak Street', 'Elm Street', 7, {}],
    });
    await agentSaid(client, /I found Oak Street/);
    client.control({ type: 'user_text', text: 'yes' });
    expect(await client.event('captured')).toMatchObject({ slot: 'street', value: 'Oak Street' });
    await hangUp(client);
  });

  it('refuses a capture with a lookup that the agent does not have, or a kind without one', async () => {
    const opened = await openAgent({ lookups: [{ name: 'customers', values: ['Schmidt'] }] });
    const { client } = await opened.connect();
    client.control({ type: 'capture', slot: 'a', kind: 'name', lookup: 'streets' });
    expect(await client.event('error')).toMatchObject({ error: { param: 'lookup' } });
    client.control({ type: 'capture', slot: 'a', kind: 'date', lookup: 'customers' });
    await expect.poll(() => client.controls.filter(({ event }) => event === 'error')).toHaveLength(2);
    expect(client.controls.findLast(({ event }) => event === 'error')).toMatchObject({
      error: { param: 'lookup' },
    });
    await hangUp(client);
  });

  // @requirement Omni: DTMF tones in the caller's audio are taken as keys.
  it('takes keys that are heard in the caller’s sound, and no words for keys', async () => {
    const opened = await openAgent({});
    const { client } = await opened.connect();
    client.control({ type: 'capture', slot: 'pin', kind: 'digits', prompt: 'Type your number.' });
    await agentSaid(client, /Type your number/);
    await client.speak(touchTones('90210#', 8_000));
    expect(await client.event('captured')).toMatchObject({ slot: 'pin', value: '90210', confirmed: 'keys' });
    await hangUp(client);
  });

  it('waits on hold in silence, without asking the model, until a person speaks', async () => {
    const opened = await openAgent(
      { builtin_tools: ['wait_for'] },
      { answers: [{ tool: 'wait_for', args: { until: 'human' } }, 'Hello, I call for Ann.'] },
    );
    const { client } = await opened.connect();
    const asked = () => opened.asked.length;
    client.control({ type: 'user_text', text: 'Thank you for calling. Your call is important to us.' });
    await expect.poll(asked).toBe(1);
    for (const text of ['Please hold while I connect you.', 'Please stay on the line.'])
      client.control({ type: 'user_text', text });
    await client.until(() => client.transcripts.some((one) => /stay on the line/.test(one.text)));
    expect(asked()).toBe(1);
    client.control({ type: 'user_text', text: 'Hello, this is Tom, how can I help you?' });
    await agentSaid(client, /call for Ann/);
    expect(opened.asked[1]?.messages.at(-1)?.content).toContain('this is Tom');
    await hangUp(client);
  });

  itLong('remembers a person from one call to the next, and forgets who is erased', async () => {
    const opened = await openAgent(
      { builtin_tools: ['remember'] },
      { answers: [{ tool: 'remember', args: { fact: 'likes green tea' } }, 'Noted.'] },
    );
    const meta = { external_id: 'ann' };
    const first = await opened.connect({ meta });
    first.client.control({ type: 'user_text', text: 'I like green tea.' });
    await agentSaid(first.client, /Noted/);
    await hangUp(first.client);
    const next = await opened.connect({ meta });
    next.client.control({ type: 'user_text', text: 'Hello.' });
    await agentSaid(next.client, /All right/);
    expect(JSON.stringify(opened.asked.at(-1)?.messages)).toContain('likes green tea');
    await hangUp(next.client);
    const gone = await opened.services.memories.erase(opened.scope, { externalId: 'ann', until: Date.now() });
    expect(gone.counts).toEqual({ memories: 1 });
    expect(await opened.services.memories.of(opened.scope, opened.agent.id, 'ann')).toEqual([]);
  });

  it('answers from the bases that are bound to it, strictly', async () => {
    const opened = await openAgent({ persona: 'You are Maya.' });
    const bases = [await opened.knowledge.base()];
    await opened.knowledge.text(
      bases[0]!,
      'Prices',
      'A filling costs eighty euros. A crown costs five hundred euros.',
    );
    await opened.services.agents.patch(opened.scope, opened.agent.id, { knowledge_base_ids: bases }, false);
    const { client, ack } = await opened.connect();
    client.control({ type: 'user_text', text: 'What does a crown cost?' });
    await agentSaid(client, /All right/);
    expect(opened.asked[0]).toMatchObject({ grounding: 'strict' });
    expect(opened.asked[0]?.passages[0]?.text).toContain('five hundred');
    await hangUp(client);
    expect(await opened.record(ack.call_id)).toMatchObject({
      grounding: [{ passages: [{ source: 'Prices', used: false }] }],
    });
  });

  // @requirement Agents: Tools are client tools, signed webhooks or tools of MCP servers.
  it('calls a webhook, signed, with its secret headers, and tells what it answered', async () => {
    const receiver = new Receiver();
    receiver.answer = (_request, response) =>
      response.setHeader('content-type', 'application/json').end('{"price":12}');
    const url = await receiver.open();
    try {
      const opened = await openAgent(
        {},
        {
          answers: [{ tool: 'price', args: { item: 'tea' } }, 'It is twelve.'],
          tools: [
            {
              name: 'price',
              kind: 'webhook',
              url: `${url}/price`,
              headers: { 'x-shop': 'hidden' },
              parameters: { type: 'object', properties: { item: { type: 'string' } } },
            },
          ],
        },
      );
      const { secret } = await opened.services.webhooks.mintSecret(opened.scope);
      const { client, ack } = await opened.connect();
      client.control({ type: 'user_text', text: 'What is tea?' });
      await agentSaid(client, /twelve/);
      expect(receiver.received).toHaveLength(1);
      const { headers, body } = receiver.received[0]!;
      expect(headers['x-shop']).toBe('hidden');
      const [, at, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-svc-signature']))!;
      expect(digest).toBe(createHmac('sha256', secret).update(`${at}.${body}`).digest('hex'));
      expect(JSON.parse(body)).toMatchObject({
        type: 'tool.call',
        data: { name: 'price', arguments: { item: 'tea' }, call_id: ack.call_id, agent_id: opened.agent.id },
      });
      expect(opened.asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: '{"price":12}' });
      await hangUp(client);
    } finally {
      await receiver.close();
    }
  });

  const replies: [string, number][] = [
    ['yes', 1],
    ['no, wait', 0],
    ['what is the weather like', 0],
  ];
  it.each(sampleOf(replies, 2))(
    'asks before what cannot be undone; the caller says "%s"',
    async (reply, made) => {
      const opened = await openAgent(
        {},
        {
          answers: [{ tool: 'refund', args: { amount: 20 } }, 'Done with it.'],
          tools: [{ name: 'refund', kind: 'client', description: 'Refund the order', confirm: true }],
        },
      );
      const { client } = await opened.connect();
      client.control({ type: 'user_text', text: 'My money back.' });
      const asked = await agentSaid(client, /Refund the order/);
      expect(asked.text).toContain('amount 20');
      expect(client.has('tool_call'), 'nothing before the caller has agreed').toBe(false);
      client.control({ type: 'user_text', text: reply });
      if (made === 1) {
        const call = await client.event('tool_call');
        client.control({ type: 'tool_result', call_id: call.call_id, result: { refunded: 20 } });
      } else if (reply.startsWith('what')) {
        await client.until(
          () =>
            client.transcripts.filter((one) => one.final && /Refund the order/.test(one.text)).length === 2,
        );
        client.control({ type: 'user_text', text: 'hm' });
      }
      await agentSaid(client, /Done with it/);
      expect(client.controls.filter(({ event }) => event === 'tool_call')).toHaveLength(made);
      const reported = opened.asked[1]?.messages.at(-1)?.content ?? '';
      expect(reported).toContain(made === 1 ? '"refunded":20' : 'not done');
      await hangUp(client);
    },
  );
});

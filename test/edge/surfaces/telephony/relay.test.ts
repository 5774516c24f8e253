import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { SocketClient } from '../../../contract/sockets.ts';
import { World } from '../../../contract/world.ts';
import {
  chatChunk,
  ORDERS,
  type Script,
  ScriptedEndpoint,
} from '../../../conversation/brains/endpoint/scripted-endpoint.ts';
import { pollDelay } from '../../../poll.ts';

const CALLS: Readonly<Record<string, readonly [name: string, args: object]>> = {
  'Press one.': ['send_keys', { digits: '1#' }],
  'In Spanish, please.': ['switch_language', { language: 'es' }],
  'Hang up.': ['end_call', {}],
  'A person, please.': ['transfer', { to: 'sales', summary: 'wants to buy' }],
};

/** Calls the tool that the caller's words stand for, and says goodbye beside one that ends the call. */
const ASKED: Script = (request, response) => {
  const last = (request.body.messages as { role: string; content: string }[]).at(-1);
  const called = last?.role === 'user' ? CALLS[last.content] : undefined;
  if (called === undefined) return ORDERS(request, response);
  const [name, args] = called;
  response.setHeader('content-type', 'text/event-stream');
  response.write(chatChunk({ content: 'Goodbye then. ' }));
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  };
  response.write(chatChunk({ tool_calls: [call] }));
  response.end(`${chatChunk({}, 'tool_calls')}data: [DONE]\n\n`);
};

const model = await ScriptedEndpoint.start(ASKED);
afterAll(() => model.close());
const world = await World.open({
  settings: { TRUNKLINE_BRAIN_URL: model.url, TRUNKLINE_BRAIN_MODEL: 'scripted' },
});
afterAll(() => world.stop());

const send = async (path: string, body?: object) => {
  const answer = await world.send(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${world.ours.key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: answer.json as Record<string, unknown> };
};

async function entriesOf(agent: string): Promise<readonly { role: string; text: string }[]> {
  for (;;) {
    const { json } = await send('/v1/omni/calls');
    const [ended] = (json.data as { call_id: string; agent_id: string; status: string }[]).filter(
      ({ agent_id, status }) => agent_id === agent && status === 'completed',
    );
    if (ended !== undefined) {
      const { json: call } = await send(`/v1/omni/calls/${ended.call_id}`);
      return (call.transcript as { entries: { role: string; text: string }[] }).entries;
    }
    await pollDelay();
  }
}

const setup = (customParameters: object = {}) => ({
  type: 'setup',
  sessionId: 'VX1',
  callSid: 'CA1',
  parentCallSid: '',
  from: '+14155550177',
  to: '+14155550100',
  forwardedFrom: '',
  callType: 'PSTN',
  callerName: '',
  direction: 'inbound',
  callStatus: 'RINGING',
  accountSid: 'AC1',
  customParameters,
});

function turnsOf(reported: readonly { type: string; token?: string; last?: boolean }[]): string[] {
  const turns: string[] = [];
  let text = '';
  for (const message of reported.filter(({ type }) => type === 'text')) {
    text += message.token ?? '';
    if (message.last !== true) continue;
    turns.push(text);
    text = '';
  }
  return turns;
}

describe.skipIf(!world.ready)('ConversationRelay', { timeout: 60_000 }, () => {
  let agent = '';
  beforeAll(async () => {
    const made = await send('/v1/agents', {
      name: 'Maya',
      persona: 'You run a shop.',
      greeting: 'Hello {{first_name}}, how can I help?',
      builtin_tools: ['send_keys', 'switch_language', 'end_call', 'transfer'],
    });
    agent = String(made.json.id);
  });

  const relayed = async (parameters: object = {}) => {
    const client = await new SocketClient(world, '/v1/relay/twilio').opened();
    client.send(setup({ agent_id: agent, api_key: world.ours.key, ...parameters }));
    return client;
  };
  const untilTurns = async (client: SocketClient, count: number): Promise<string[]> => {
    await client.until(() => turnsOf(client.messages).length >= count);
    return turnsOf(client.messages);
  };

  it('greets by variables, answers a prompt, and is on the record as what was said', async () => {
    const client = await relayed({ first_name: 'Ada', external: 7 });
    expect(await untilTurns(client, 1)).toEqual(['Hello Ada, how can I help?']);
    client.send({ type: 'prompt', voicePrompt: 'When are', lang: 'en-US', last: false });
    client.send({ type: 'prompt', voicePrompt: 'When are you open?', lang: 'en-US', last: true });
    const [, answer] = await untilTurns(client, 2);
    expect(answer).toMatch(/^We are open from nine to five, from Monday to Friday\. We/);
    client.send({
      type: 'interrupt',
      utteranceUntilInterrupt: 'We are open from nine',
      durationUntilInterruptMs: '1450',
    });
    client.send({ type: 'prompt', voicePrompt: 'Thank you, goodbye.', lang: 'en-US', last: true });
    await untilTurns(client, 3);
    client.close();
    const said = await entriesOf(agent);
    expect(said.slice(0, 4).map(({ role, text }) => [role, text])).toEqual([
      ['agent', 'Hello Ada, how can I help?'],
      ['user', 'When are you open?'],
      ['agent', 'We are open from nine'],
      ['user', 'Thank you, goodbye.'],
    ]);
  });

  it('takes keys as a turn', async () => {
    const client = await relayed();
    await untilTurns(client, 1);
    for (const digit of '42#') client.send({ type: 'dtmf', digit });
    expect((await untilTurns(client, 2))[1]).toMatch(/^We are open/);
    client.close();
  });

  it.each([
    ['Press one.', { type: 'sendDigits', digits: '1#' }],
    ['In Spanish, please.', { type: 'language', ttsLanguage: 'es-ES', transcriptionLanguage: 'es-ES' }],
  ])('sends what the agent does at “%s”', async (voicePrompt, sent) => {
    const client = await relayed();
    await untilTurns(client, 1);
    client.send({ type: 'prompt', voicePrompt, lang: 'en-US', last: true });
    expect(await client.until(({ type }) => type === sent.type)).toEqual(sent);
    client.close();
  });

  it.each([
    ['Hang up.', { reason: 'agent_ended' }],
    ['A person, please.', { reason: 'hand_over', to: 'sales', summary: 'wants to buy' }],
  ])('ends at “%s”, after its last words', async (voicePrompt, why) => {
    const client = await relayed();
    await untilTurns(client, 1);
    client.send({ type: 'prompt', voicePrompt, lang: 'en-US', last: true });
    const { handoffData } = await client.until(({ type }) => type === 'end');
    expect(JSON.parse(handoffData)).toEqual(why);
    expect(turnsOf(client.messages)[1]).toMatch(/^Goodbye then\./);
    expect(await client.closed).toBe(1000);
  });

  it('takes the agent of the address and the key of the upgrade', async () => {
    const client = await new SocketClient(
      world,
      `/v1/relay/twilio?agent_id=${agent}`,
      world.ours.key,
    ).opened();
    client.send(setup());
    await untilTurns(client, 1);
    client.close();
  });

  it.each([
    ['no agent', () => setup({ api_key: world.ours.key }), 1008, 'invalid_request', 'agent_id'],
    ['no key', () => setup({ agent_id: agent }), 4401, 'missing_api_key', undefined],
    [
      'a wrong key',
      () => setup({ agent_id: agent, api_key: 'svc_live_x' }),
      4401,
      'invalid_api_key',
      undefined,
    ],
    ['words before setup', () => ({ type: 'prompt', voicePrompt: 'Hi' }), 1008, 'invalid_request', 'type'],
    ['a key that is none', () => ({ type: 'dtmf', digit: 'x' }), 1008, 'invalid_request', 'digit'],
    ['no type', () => ({ hello: 1 }), 1008, 'invalid_request', undefined],
  ])('ends with %s, and says why', async (_, first, close, code, param) => {
    const client = await new SocketClient(world, '/v1/relay/twilio').opened();
    client.send(first());
    const { handoffData } = await client.until(({ type }) => type === 'end');
    const why = JSON.parse(handoffData);
    expect(why).toMatchObject({ reason: 'failed', code });
    expect(why.param).toBe(param);
    expect(await client.closed).toBe(close);
  });

  it('lets messages go that later versions may bring', async () => {
    const client = await relayed();
    client.send({ type: 'info', name: 'tokensPlayed', value: 'Hello' });
    expect(await untilTurns(client, 1)).toHaveLength(1);
    expect(client.messages.filter(({ type }) => type === 'end')).toEqual([]);
    client.close();
  });

  it('fills a persona that repeats a long parameter up to its limit', async () => {
    const repeats = await send('/v1/agents', {
      name: 'Repeats',
      persona: '{{a}}'.repeat(3_000),
      greeting: 'Hello {{a}}',
    });
    const client = await relayed({ agent_id: repeats.json.id, a: 'ä'.repeat(30_000) });
    expect(await untilTurns(client, 1)).toEqual([`Hello ${'ä'.repeat(994)}`]);
    client.send({ type: 'prompt', voicePrompt: 'When are you open?', lang: 'en-US', last: true });
    await untilTurns(client, 2);
    client.close();
    const asked = model.received.map(({ body }) => JSON.stringify(body.messages));
    const [prompt = ''] = asked.filter((messages) => messages.includes('ä'.repeat(1_000)));
    expect(prompt.match(/ä{1000,}/g)?.map(({ length }) => length)[0]).toBe(16_000);
  });

  it('is refused at the upgrade with a wrong key', async () => {
    const headers = { authorization: 'Bearer svc_live_wrong' };
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/v1/relay/twilio`, { headers });
    const status = await new Promise((resolve) => {
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
      socket.on('error', () => undefined);
    });
    expect(status).toBe(401);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SocketClient } from '../../../contract/sockets.ts';
import { type Tenant, World } from '../../../contract/world.ts';
import { ORDERS, ScriptedEndpoint } from '../../../conversation/brains/endpoint/scripted-endpoint.ts';
import { until } from '../../../poll.ts';

const model = await ScriptedEndpoint.start(ORDERS);
afterAll(() => model.close());
const world = await World.open({
  settings: { TRUNKLINE_BRAIN_URL: model.url, TRUNKLINE_BRAIN_MODEL: 'scripted' },
});
afterAll(() => world.stop());

const RESUMED = 'Sorry, we were cut off.';
const GREETING = 'Hello, how can I help?';

interface CallRecord {
  readonly status: string;
  readonly duration_s: number;
  readonly transcript: { readonly entries: readonly { readonly role: string; readonly text: string }[] };
}

async function send(path: string, tenant: Tenant, body?: object) {
  const answer = await world.send(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answer.json as Record<string, unknown>;
}

async function newAgent(tenant: Tenant): Promise<string> {
  const fields = { name: 'Maya', persona: 'You run a shop.', greeting: GREETING };
  return String((await send('/v1/agents', tenant, fields)).id);
}

async function callsOf(agent: string, tenant: Tenant): Promise<CallRecord[]> {
  const { data } = await send('/v1/omni/calls', tenant);
  const ids = (data as { call_id: string; agent_id: string }[]).filter(({ agent_id }) => agent_id === agent);
  const records: CallRecord[] = [];
  for (const { call_id } of ids)
    records.push((await send(`/v1/omni/calls/${call_id}`, tenant)) as unknown as CallRecord);
  return records;
}

async function onlyCallOf(agent: string): Promise<CallRecord> {
  let calls: CallRecord[] = [];
  await until(async () => {
    calls = await callsOf(agent, world.ours);
    return calls.length > 0 && calls.every(({ status }) => status === 'completed');
  });
  expect(calls).toHaveLength(1);
  return calls[0]!;
}

const saidIn = ({ transcript }: CallRecord): string[] =>
  transcript.entries.map(({ role, text }) => `${role}: ${text}`);

describe.skipIf(!world.ready)('a carrier whose connection breaks', { timeout: 60_000 }, () => {
  let agent = '';
  beforeAll(async () => {
    agent = await newAgent(world.ours);
  });

  async function relayed(callSid: string, parameters: object = {}, tenant = world.ours, id = agent) {
    const client = await new SocketClient(world, '/v1/relay/twilio').opened();
    const customParameters = { agent_id: id, api_key: tenant.key, ...parameters };
    client.send({
      type: 'setup',
      sessionId: 'VX1',
      callSid,
      from: '+14155550177',
      direction: 'inbound',
      customParameters,
    });
    return client;
  }
  const heard = (client: SocketClient, words: string) =>
    client.until(() =>
      client.messages
        .map(({ type, token }) => (type === 'text' ? token : ''))
        .join('')
        .includes(words),
    );
  const prompt = (voicePrompt: string) => ({ type: 'prompt', voicePrompt, lang: 'en-US', last: true });

  async function streamed(callSid: string, parameters: object = {}) {
    const client = await new SocketClient(world, '/v1/telephony/streams/twilio').opened();
    const customParameters = { agent_id: agent, api_key: world.ours.key, ...parameters };
    client.send({ event: 'start', streamSid: 'MZ1', start: { streamSid: 'MZ1', callSid, customParameters } });
    return client;
  }

  it('goes on by ConversationRelay with the same call: one transcript, one bill', async () => {
    agent = await newAgent(world.ours);
    const first = await relayed('CA-relay');
    await heard(first, GREETING);
    first.send(prompt('When are you open?'));
    await heard(first, 'We are open from nine to five');
    first.terminate();
    const second = await relayed('CA-relay', { resume: 'only' });
    await heard(second, RESUMED);
    second.send(prompt('Thank you, goodbye.'));
    await second.until(() => second.messages.filter(({ last }) => last === true).length >= 2);
    second.close();
    const said = saidIn(await onlyCallOf(agent));
    expect(said.slice(0, 2)).toEqual([`agent: ${GREETING}`, 'user: When are you open?']);
    expect(said.join('\n')).toContain(`agent: ${RESUMED}`);
    expect(said.join('\n')).toContain('user: Thank you, goodbye.');
  });

  it('goes on by a media stream with the same call', async () => {
    agent = await newAgent(world.ours);
    const first = await streamed('CA-stream');
    const isMedia = ({ event }: { event?: string }) => event === 'media';
    await first.until(() => first.messages.filter(isMedia).length >= 50);
    first.terminate();
    const second = await streamed('CA-stream', { resume: 'only' });
    await second.until(() => second.messages.filter(isMedia).length >= 50);
    second.send({ event: 'stop', streamSid: 'MZ1', stop: { accountSid: 'AC1', callSid: 'CA-stream' } });
    await second.closed;
    const said = saidIn(await onlyCallOf(agent)).join('\n');
    expect(said).toContain('agent: Hello');
    expect(said).toContain('Sorry');
  });

  it('begins no new call with resume: only, once the call has ended', async () => {
    agent = await newAgent(world.ours);
    const first = await relayed('CA-over');
    await heard(first, GREETING);
    first.close();
    await onlyCallOf(agent);
    const second = await relayed('CA-over', { resume: 'only' });
    const { handoffData } = await second.until(({ type }) => type === 'end');
    expect(JSON.parse(handoffData)).toMatchObject({ code: 'call_not_live', param: 'resume' });
    expect(await second.closed).toBe(1008);
    const third = await streamed('CA-over', { resume: 'only' });
    const { error } = await third.until(({ event }) => event === 'error');
    expect(error).toMatchObject({ code: 'call_not_live', param: 'resume' });
    expect(await third.closed).toBe(1008);
    expect(await callsOf(agent, world.ours)).toHaveLength(1);
  });

  it('says what resume may be', async () => {
    const client = await relayed('CA-odd', { resume: 'always' });
    const { handoffData } = await client.until(({ type }) => type === 'end');
    expect(JSON.parse(handoffData)).toMatchObject({ code: 'invalid_request', param: 'resume' });
  });

  it('gets its own call, and not that of another organization', async () => {
    const first = await relayed('CA-shared');
    await heard(first, GREETING);
    first.terminate();
    const theirs = await newAgent(world.theirs);
    const only = await relayed('CA-shared', { resume: 'only' }, world.theirs, theirs);
    const { handoffData } = await only.until(({ type }) => type === 'end');
    expect(JSON.parse(handoffData)).toMatchObject({ code: 'call_not_live' });
    const other = await relayed('CA-shared', {}, world.theirs, theirs);
    await heard(other, GREETING);
    other.close();
  });
});

/** An agent who stays silent while people talk knows afterwards what they said. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { pollDelay } from '../../../poll.ts';
import { absent, openPhones, type Phones } from './server.ts';

const CALLER = '+15005550021';
const TALKER = '+15005550022';
const PERSON = '+15005550023';
const AGREED = 'We have agreed on Tuesday morning.';
const NETWORK = `
numbers:
  '${CALLER}':
    ring_ms: 100
    steps: [ { pause_ms: 24000 }, { say: 'What did you agree on?' }, { pause_ms: 12000 }, { say: 'What did you agree on?' }, { pause_ms: 60000 } ]
  '${TALKER}':
    ring_ms: 100
    steps: [ { pause_ms: 9000 }, { say: 'I would like to come on Wednesday afternoon.' }, { pause_ms: 9000 }, { say: 'The day is Wednesday.' }, { pause_ms: 60000 } ]
  '${PERSON}':
    ring_ms: 100
    steps: [ { pause_ms: 300 }, { press: '1' }, { pause_ms: 2500 }, { say: '${AGREED}' }, { pause_ms: 2500 }, { hang_up: true } ]
`;

interface ModelRequest {
  readonly messages: readonly { readonly role: string; readonly content?: string | null }[];
}

async function model(): Promise<{ url: string; asked: ModelRequest[]; server: Server }> {
  const asked: ModelRequest[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    asked.push(JSON.parse(text) as ModelRequest);
    const delta = { content: 'On Tuesday morning.' };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(
      `data: ${JSON.stringify({ choices: [{ delta, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked, server };
}

const LOUD_DB = -45;
const QUIET_LEVELS = 25;

/** Resolves 2.5 s after the caller has fallen silent. */
async function callerHasSpoken(socket: WebSocket): Promise<void> {
  let quiet = Number.NEGATIVE_INFINITY;
  while (quiet < QUIET_LEVELS) {
    const [data, isBinary] = (await once(socket, 'message')) as [Buffer, boolean];
    if (isBinary) continue;
    const { event, caller } = JSON.parse(data.toString()) as { event: string; caller: number };
    if (event === 'levels') quiet = caller > LOUD_DB ? 0 : quiet + 1;
  }
}

describe.skipIf(absent)('an agent who listens', () => {
  let phones: Phones;
  let brain: Awaited<ReturnType<typeof model>>;
  let agent: string;
  let from: string;
  beforeAll(async () => {
    brain = await model();
    const brains = [{ name: 'default', url: brain.url, model: 'scripted', key: 'none' }];
    phones = await openPhones(NETWORK, { TRUNKLINE_BRAINS: JSON.stringify(brains) });
    agent = await phones.agent({ persona: 'You are the office.', idle: { ask_after_s: 60 } });
    from = (await phones.number(agent)).phone_number;
  }, 240_000);
  afterAll(async () => {
    await phones?.stop();
    brain?.server.closeAllConnections();
    brain?.server.close();
  });

  async function answered(to: string): Promise<string> {
    const { body } = await phones.send('POST', '/v1/telephony/calls', { from, to, agent_id: agent });
    await phones.event('telephony.call.answered', body.id);
    return body.id;
  }
  async function nextTalk(id: string, before: readonly string[]): Promise<string> {
    for (;;) {
      const { body } = await phones.send('GET', `/v1/telephony/calls/${id}`);
      const { omni_call_id: talk } = body;
      if (talk !== null && !before.includes(talk)) return talk;
      await pollDelay();
    }
  }
  async function recordOf(talk: string) {
    for (;;) {
      const { status, body } = await phones.send('GET', `/v1/omni/calls/${talk}`);
      if (status === 200 && body.summary_result?.status !== 'pending') return body;
      await pollDelay();
    }
  }
  const requestsAbout = (word: RegExp) =>
    brain.asked.filter(({ messages }) => {
      const context = messages.some(
        ({ content }) => word.test(content ?? '') && /listened/.test(content ?? ''),
      );
      return context && /agree/i.test(messages.at(-1)?.content ?? '');
    });

  it('knows what a person and the caller agreed on when the person has left, and its record sums it up', async () => {
    const id = await answered(CALLER);
    const first = await nextTalk(id, []);
    const order = { to: PERSON, kind: 'warm', three_way: true, agent_listens: true };
    expect((await phones.send('POST', `/v1/telephony/calls/${id}/transfer`, order)).status).toBeLessThan(300);
    const listening = await nextTalk(id, [first]);
    await phones.send('PATCH', `/v1/agents/${agent}`, { persona: 'You are the office, anew.' });
    const back = await nextTalk(id, [first, listening]);
    while (requestsAbout(/tuesday/i).length === 0) await pollDelay();
    await phones.send('POST', `/v1/telephony/calls/${id}/hangup`);
    await phones.event('telephony.call.ended', id);
    const record = await recordOf(listening);
    const { entries } = record.transcript;
    expect(entries.filter(({ role }: { role: string }) => role === 'agent')).toEqual([]);
    expect(JSON.stringify(entries)).toMatch(/tuesday/i);
    expect(record.summary_result.status).toBe('success');
    expect(record.summary.text).toMatch(/tuesday/i);
    const versions = [await recordOf(first), record, await recordOf(back)].map((one) => one.agent_version);
    expect(versions).toEqual([1, 1, 1]);
  }, 200_000);

  it('stays in a call that a supervisor takes over, and has what was said', async () => {
    const id = await answered(TALKER);
    const first = await nextTalk(id, []);
    const socket = new WebSocket(
      `${phones.url.replace('http', 'ws')}/v1/telephony/supervise?call_id=${id}&mode=take_over&agent=listens&levels=true`,
      { headers: { authorization: phones.authorization } },
    );
    await once(socket, 'open');
    const listening = await nextTalk(id, [first]);
    await callerHasSpoken(socket);
    socket.send(JSON.stringify({ type: 'mode', mode: 'listen' }));
    await nextTalk(id, [first, listening]);
    await phones.send('POST', `/v1/telephony/calls/${id}/hangup`);
    await phones.event('telephony.call.ended', id);
    const { entries } = (await recordOf(listening)).transcript;
    expect(entries.filter(({ role }: { role: string }) => role === 'agent')).toEqual([]);
    expect(JSON.stringify(entries)).toMatch(/wednesday/i);
  }, 200_000);

  it.each([
    ['agent=sings&mode=take_over', 400],
    ['agent=listens&mode=join', 400],
  ])(
    'is refused with %s',
    async (query, status) => {
      const id = await answered(TALKER);
      const socket = new WebSocket(
        `${phones.url.replace('http', 'ws')}/v1/telephony/supervise?call_id=${id}&${query}`,
        { headers: { authorization: phones.authorization } },
      );
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
      expect(response.statusCode).toBe(status);
      await phones.send('POST', `/v1/telephony/calls/${id}/hangup`);
    },
    60_000,
  );
});

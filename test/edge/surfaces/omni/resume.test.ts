import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Brain, BrainRequest } from '../../../../src/conversation/brains/index.ts';
import type { CallCheckpoint } from '../../../../src/conversation/calls/index.ts';
import { Sealer } from '../../../../src/foundation/access/index.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { agentSaid, OURS, recordOf } from './fault-helpers.ts';
import { absent, Client, openOmni } from './server.ts';

const HOURS = 'We are open from nine in the morning until five in the afternoon, on every day of the week.';
const MORE = 'On holidays we open at ten.';

function answering(...answers: (string | null)[]) {
  const asked: BrainRequest[] = [];
  const brain: Brain = {
    name: 'scripted',
    respond: async function* (request, signal) {
      asked.push(request);
      const answer = answers.shift();
      if (answer === null) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      else yield { kind: 'text', text: answer ?? 'All right.' };
    },
  };
  return { brain, asked };
}

async function twoNodes(...answers: (string | null)[]) {
  return await startTwoNodes({}, answers);
}

async function startTwoNodes(engineOfSecond: { capacity?: number }, answers: (string | null)[]) {
  const dataDir = mkdtempSync(join(tmpdir(), 'omni-resume-'));
  const { brain, asked } = answering(...answers);
  const time = { ahead: 0 };
  const clock = { ...systemClock, now: () => Date.now() + time.ahead };
  const node = (engine = {}) => openOmni({ dataDir, brain, clock, resumable: true, engine });
  return { first: await node(), second: await node(engineOfSecond), asked, time };
}

const tokenOf = ({ resume }: Record<string, unknown>): string => (resume as { token: string }).token;

async function resumed(url: string, token: string) {
  const client = await new Client(url).opened();
  client.control({ type: 'configure', resume: token });
  return { client, ack: await client.event('configured') };
}

const live = async ({ storage }: Awaited<ReturnType<typeof openOmni>>) =>
  await acrossTenants(storage.db).selectFrom('call_checkpoints').select(['id', 'resume_by']).execute();

async function pendingAnswer({ storage }: Awaited<ReturnType<typeof openOmni>>) {
  const [row] = await acrossTenants(storage.db).selectFrom('call_checkpoints').selectAll().execute();
  if (row === undefined || row.state === null) return null;
  const sealer = new Sealer(Buffer.alloc(32, 1), 'call checkpoints');
  return (JSON.parse(sealer.open(row.state, row.id)) as CallCheckpoint).talk.pending;
}

describe.skipIf(Boolean(absent))('a client that was cut off', () => {
  it('can tell a server that is silent from one that hangs: each ping has its pong', {
    timeout: 60_000,
  }, async () => {
    const server = await openOmni({ resumable: true });
    const client = await new Client(server.url).opened();
    client.control({ type: 'ping' });
    await client.event('pong');
    const ack = await client.configure({});
    expect(ack).toMatchObject({ resume: { silent_after_ms: 1_500 } });
    const pongs = () => client.controls.filter(({ event }) => event === 'pong').length;
    const before = pongs();
    for (let count = 0; count < 3; count++) client.control({ type: 'ping' });
    await expect.poll(pongs).toBe(before + 3);
    client.control({ type: 'ping', at: 1 });
    expect(await client.event('error')).toMatchObject({ error: { code: 'invalid_request', param: 'at' } });
    client.control({ type: 'end' });
  });

  it('goes on with its call on another node: one transcript, one bill', { timeout: 60_000 }, async () => {
    const { first, second, asked } = await twoNodes('Good morning.', `${HOURS} ${MORE}`, 'You are welcome.');
    const before = await new Client(first.url).opened();
    const ack = await before.configure({ persona: 'You are Maya.' });
    expect(ack).toMatchObject({ resume: { ttl_s: 30 } });
    expect(ack).not.toHaveProperty('resumed');
    before.control({ type: 'user_text', text: 'Hello there.' });
    await before.silenceUntil(() => agentSaid(before).includes('Good morning.'));
    before.control({ type: 'user_text', text: 'When are you open?' });
    await before.silenceUntil(() => before.transcripts.some(({ text }) => text.includes('We are open')));
    const played = before.audioBytes;
    await before.silenceUntil(() => before.audioBytes > played + 16_000);
    before.socket.terminate();
    await expect.poll(() => live(first)).toMatchObject([{ id: ack.call_id, resume_by: expect.any(Number) }]);

    const { client, ack: again } = await resumed(second.url, tokenOf(ack));
    expect(again).toMatchObject({
      call_id: ack.call_id,
      resumed: true,
      turn: 4,
      resume: { token: tokenOf(ack) },
    });
    expect(again.played_ms).toBeGreaterThan(500);
    await client.silenceUntil(() => agentSaid(client).includes(MORE));
    expect(agentSaid(client)).toMatch(/^Sorry, we were cut off\. /);
    client.control({ type: 'user_text', text: 'Thank you.' });
    await client.silenceUntil(() => agentSaid(client).includes('You are welcome.'));
    expect(asked.at(-1)).toMatchObject({ persona: 'You are Maya.' });
    const messages = asked.at(-1)?.messages.map(({ role, content }) => `${role}: ${content}`) ?? [];
    expect(messages.slice(0, 3)).toEqual([
      'user: Hello there.',
      'assistant: Good morning.',
      'user: When are you open?',
    ]);
    client.control({ type: 'end' });
    await client.closed();

    const record = await recordOf(second, ack.call_id);
    expect(record).toMatchObject({ status: 'completed', end_reason: 'client_ended' });
    expect(record.transcript[0]).toBe('user: Hello there.');
    expect(record.transcript.at(-1)).toBe('agent: You are welcome.');
    const row = await second.calls.find(OURS, String(ack.call_id));
    const entries = JSON.parse(row?.transcript ?? '[]') as {
      turn_id: number;
      start_ms: number;
      end_ms: number;
    }[];
    expect(entries.map(({ turn_id }) => turn_id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const starts = entries.map(({ start_ms }) => start_ms);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect(await second.billed()).toEqual([Number(row?.duration_ms)]);
    expect(Number(row?.duration_ms)).toBeGreaterThanOrEqual(entries.at(-1)?.end_ms ?? 0);
    expect(await live(second)).toEqual([]);
  });

  it('goes on at a node that is full for new calls', { timeout: 60_000 }, async () => {
    // A call in the default voice costs 400: one fits, and two do by the bound of resumed calls, which is 840.
    const { first, second } = await startTwoNodes({ capacity: 560 }, [HOURS, HOURS]);
    const before = await new Client(first.url).opened();
    const ack = await before.configure({ persona: 'You are Maya.' });
    const other = await new Client(second.url).opened();
    await other.configure({ persona: 'You are Maya.' });
    const refused = await new Client(second.url).opened();
    refused.control({ type: 'configure', persona: 'You are Maya.' });
    expect(await refused.event('error')).toMatchObject({ error: { code: 'capacity' } });
    before.socket.terminate();
    await expect.poll(() => live(first)).toContainEqual({ id: ack.call_id, resume_by: expect.any(Number) });

    const { client, ack: again } = await resumed(second.url, tokenOf(ack));
    expect(again).toMatchObject({ call_id: ack.call_id, resumed: true });
    for (const one of [client, other]) one.control({ type: 'end' });
    await Promise.all([client.closed(), other.closed()]);
  });

  it('gets the answer that its node died over, from the question', { timeout: 60_000 }, async () => {
    const { first, second, asked } = await twoNodes(null, HOURS);
    // The first node hangs in its request, and does not notice that its client has disconnected.
    const hung = await new Client(first.url).opened();
    const ack = await hung.configure();
    hung.control({ type: 'user_text', text: 'When are you open?' });
    await expect.poll(() => asked.length).toBe(1);
    await expect
      .poll(() => pendingAnswer(first))
      .toMatchObject({ kind: 'question', text: 'When are you open?' });
    const { client } = await resumed(second.url, tokenOf(ack));
    await client.silenceUntil(() => agentSaid(client).includes('every day of the week'));
    client.control({ type: 'end' });
    await client.closed();
    expect(await recordOf(second, ack.call_id)).toMatchObject({ status: 'completed' });
    expect(await second.billed()).toHaveLength(1);
    await expect.poll(() => first.calls.live(), { timeout: 10_000 }).toEqual([]);
    expect(await hung.closed()).toBe(1000);
    expect(await second.billed()).toHaveLength(1);
  });

  it('is waited for 30 s, then its call ends and is billed for what was served', {
    timeout: 60_000,
  }, async () => {
    const { first, second, time } = await twoNodes(HOURS);
    const before = await new Client(first.url).opened();
    const ack = await before.configure({ greeting: 'Good morning.' });
    await before.silenceUntil(() => agentSaid(before) === 'Good morning.');
    before.socket.terminate();
    await expect.poll(async () => (await live(first))[0]?.resume_by).toEqual(expect.any(Number));
    expect(await first.calls.find(OURS, String(ack.call_id))).toBeNull();
    time.ahead = 31_000;
    const late = await new Client(second.url).opened();
    late.control({ type: 'configure', resume: tokenOf(ack) });
    expect(await late.event('error')).toMatchObject({ error: { code: 'call_not_live', param: 'resume' } });
    expect(await late.closed()).toBe(1008);
    await second.calls.sweep();
    const record = await recordOf(second, ack.call_id);
    expect(record).toMatchObject({ status: 'completed', end_reason: 'client_gone' });
    expect(record.transcript).toEqual(['agent: Good morning.']);
    const row = await second.calls.find(OURS, String(ack.call_id));
    expect(await second.billed()).toEqual([Number(row?.duration_ms)]);
    expect(await live(second)).toEqual([]);
  });

  it('goes on elsewhere when its node drains', { timeout: 60_000 }, async () => {
    const { first, second } = await twoNodes(HOURS);
    const before = await new Client(first.url).opened();
    const ack = await before.configure({ greeting: 'Good morning.' });
    await before.silenceUntil(() => agentSaid(before) === 'Good morning.');
    const stopped = first.server.drain(1);
    expect(await before.closed()).toBe(1001);
    await stopped;
    const { client } = await resumed(second.url, tokenOf(ack));
    client.control({ type: 'user_text', text: 'When are you open?' });
    await client.silenceUntil(() => agentSaid(client).includes('every day of the week'));
    client.control({ type: 'end' });
    await client.closed();
    expect(await recordOf(second, ack.call_id)).toMatchObject({ end_reason: 'client_ended' });
  });

  it('that said goodbye has ended its call', async () => {
    const { first } = await twoNodes();
    const before = await new Client(first.url).opened();
    const ack = await before.configure({ greeting: 'Good morning.' });
    await before.silenceUntil(() => agentSaid(before) === 'Good morning.');
    before.socket.close(1000);
    expect(await recordOf(first, ack.call_id)).toMatchObject({ end_reason: 'client_gone' });
    expect(await live(first)).toEqual([]);
  });

  it('says which call, and nothing else', async () => {
    const { first } = await twoNodes();
    const client = await new Client(first.url).opened();
    client.control({ type: 'configure', resume: 'rsm_x', persona: 'Another' });
    expect(await client.event('error')).toMatchObject({
      error: { code: 'invalid_request', param: 'persona' },
    });
    const ack = await client.configure();
    client.control({ type: 'configure', resume: tokenOf(ack) });
    await client.until(() => client.controls.filter(({ event }) => event === 'error').length === 2);
    expect(client.controls.at(-1)).toMatchObject({ error: { code: 'invalid_request', param: 'resume' } });
    client.control({ type: 'end' });
    await client.closed();
    const unknown = await new Client(first.url).opened();
    unknown.control({ type: 'configure', resume: 'rsm_nobody' });
    expect(await unknown.event('error')).toMatchObject({ error: { code: 'call_not_live' } });
    expect(await unknown.closed()).toBe(1008);
  });
});

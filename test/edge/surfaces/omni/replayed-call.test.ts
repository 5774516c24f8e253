// @requirement Omni: What went into a call replays through the session to what the call did.
import { describe, expect, it } from 'vitest';
import type { Brain, BrainEvent } from '../../../../src/conversation/brains/index.ts';
import { readSessionInputs } from '../../../../src/conversation/calls/index.ts';
import { differencesOf, replaySession, timelineOf } from '../../../../src/conversation/replay/index.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { OURS, press } from './fault-helpers.ts';
import { absent, Client, openOmni } from './server.ts';

/**
 * Answers in pieces, and asks the client's tool in its second answer. The pause between the pieces is part of what is
 * replayed; the test waits for none of it.
 */
const scripted: Brain = {
  name: 'scripted',
  async *respond({ messages }): AsyncGenerator<BrainEvent> {
    const isAsked = messages.some(({ role }) => role === 'tool');
    const questions = messages.filter(({ role }) => role === 'user').length;
    yield { kind: 'text', text: 'We open at nine. ' };
    await new Promise((resolve) => setTimeout(resolve, 150));
    if (questions > 1 && !isAsked)
      yield { kind: 'tool_call', call: { id: 'a', name: 'book', arguments: '{}' } };
    else yield { kind: 'text', text: 'The table is yours, and nobody else gets it until the evening.' };
  },
};

const TOOL = { name: 'book', description: 'Books a table.', parameters: { type: 'object' } };

async function recordedCall(sessionInputs: 'whole' | 'redacted') {
  const opened = await openOmni({ brain: scripted, sessionInputs });
  const client = await new Client(opened.url).opened();
  const { call_id: id } = await client.configure({ greeting: 'Hello, this is Maya.', tools: [TOOL] });
  const finals = () => client.transcripts.filter(({ role, final }) => role === 'agent' && final).length;
  await client.silenceUntil(() => finals() > 0);
  press(client);
  // The second key interrupts the answer to the first.
  await client.silenceUntil(() => client.transcripts.some(({ text }) => text.includes('nine')));
  press(client);
  await client.silenceUntil(() => client.has('tool_call'));
  const { call_id: toolCall } = await client.event('tool_call');
  client.control({ type: 'tool_result', call_id: toolCall, result: { booked: true } });
  await client.silenceUntil(() =>
    client.transcripts.some(({ text, final }) => final && text.includes('evening')),
  );
  client.control({ type: 'end' });
  expect(await client.closed()).toBe(1000);
  const { blobs, calls, url } = opened;
  await expect.poll(() => readSessionInputs(blobs, String(id))).not.toBeNull();
  const trace = await readSessionInputs(blobs, String(id));
  if (trace === null) throw new Error('nothing was recorded');
  await expect.poll(async () => (await calls.find(OURS, String(id)))?.status).toBe('completed');
  const record = JSON.parse((await calls.find(OURS, String(id)))?.transcript ?? '[]');
  return { trace, record, blobs, url, id: String(id) };
}

describe.skipIf(Boolean(absent))('a call of a running server', () => {
  it('replays to what it did, and is removed with its record', { timeout: 90_000 }, async () => {
    const { trace, record, blobs, url, id } = await recordedCall('whole');
    const replayed = await replaySession(trace);
    expect(differencesOf(trace, replayed, record)).toEqual([]);
    expect(replayed.deeds.map(([, { kind }]) => kind)).toEqual(
      expect.arrayContaining(['stops', 'barge_in', 'ends']),
    );
    expect(timelineOf(trace).join('\n')).toMatch(/→ says "Hello, this is Maya\."/);

    const changed = record.map((entry: object, at: number) =>
      at === 0 ? { ...entry, text: 'Hallo.' } : entry,
    );
    expect(differencesOf(trace, replayed, changed)).toMatchObject([
      { message: expect.stringContaining('turn 0 (agent)') },
    ]);
    const withoutBrain = trace.events.filter(([, entry]) => entry.kind !== 'brain');
    const other = await replaySession({ ...trace, events: withoutBrain });
    expect(differencesOf(trace, other, null)).toContainEqual({
      atMs: expect.any(Number),
      message: expect.stringContaining('only in the call: says "We open at nine."'),
    });

    const headers = { authorization: `Bearer ${OneKeyAccess.KEY}` };
    const removed = await fetch(`${url}/v1/omni/calls/${id}`, { method: 'DELETE', headers });
    expect(removed.ok).toBe(true);
    expect(await readSessionInputs(blobs, id)).toBeNull();
  });

  it('is recorded without its words where records are redacted', { timeout: 90_000 }, async () => {
    const { trace, record } = await recordedCall('redacted');
    expect(JSON.stringify(trace)).not.toMatch(/Maya|table|evening/);
    expect(differencesOf(trace, await replaySession(trace), record)).toEqual([]);
  });
});

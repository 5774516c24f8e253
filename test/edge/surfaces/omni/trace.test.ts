// @requirement Trace: Live rules act in whole calls over Omni and telephony.
import { describe, expect, it } from 'vitest';
import type { Brain, BrainEvent } from '../../../../src/conversation/brains/index.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import type { Storage } from '../../../../src/foundation/storage/index.ts';
import {
  AT_FIRST,
  JudgementInputCollector,
  LiveGuards,
  Packs,
  type TraceSettings,
  TraceSettingsStore,
} from '../../../../src/products/trace/index.ts';
import { agentSaid, OURS, press } from './fault-helpers.ts';
import { absent, Client, openOmni } from './server.ts';

const promising: Brain = {
  name: 'promising',
  async *respond(): AsyncGenerator<BrainEvent> {
    yield { kind: 'text', text: 'It is on its way. ' };
    yield { kind: 'text', text: 'I guarantee that it comes on Monday. ' };
    yield { kind: 'tool_call', call: { id: 'a', name: 'refund', arguments: '{}' } };
  },
};

async function asked(actions: TraceSettings['actions']) {
  let settings: TraceSettingsStore | null = null;
  const guards = (storage: Storage) => {
    settings = new TraceSettingsStore(storage, systemClock);
    return new LiveGuards(settings, new Packs(storage, systemClock), {
      inputs: new JudgementInputCollector({ pronounce: null, embed: null, zonesOf: () => null }),
      clock: systemClock,
    });
  };
  const opened = await openOmni({ brain: promising, guards });
  const chosen = { enabled: true, rule_packs: [{ id: 'brand-voice' }], actions };
  await (settings as TraceSettingsStore | null)?.put(OURS, null, { ...AT_FIRST, ...chosen });
  const client = await new Client(opened.url).opened();
  const { call_id: id } = await client.configure({});
  press(client);
  await client.silenceUntil(() => client.transcripts.some(({ role, final }) => role === 'agent' && final));
  if (actions.on_violation !== 'handoff') client.control({ type: 'end' });
  expect(await client.closed()).toBe(1000);
  await expect.poll(() => opened.calls.find(OURS, String(id)), { timeout: 15_000 }).not.toBeNull();
  const row = await opened.calls.find(OURS, String(id));
  const { degraded } = JSON.parse(row?.turns ?? '{}') as { degraded: { reason: string }[] };
  // A busy machine speaks late, so `speech_slow` does not count.
  return { client, row, degraded: degraded.filter(({ reason }) => reason !== 'speech_slow') };
}

describe.skipIf(Boolean(absent))('an answer that breaks a rule', () => {
  it('is heard up to the clause, and then the safe line', { timeout: 60_000 }, async () => {
    const { client, row, degraded } = await asked({ on_violation: 'block', safe_line: 'Let me check that.' });
    expect(agentSaid(client)).toBe('It is on its way. Let me check that.');
    expect(row?.transcript).not.toContain('guarantee');
    expect(client.controls.filter(({ event }) => event === 'tool_call')).toEqual([]);
    const rule = expect.stringMatching(/^brand-voice@.+\/no-guarantees$/);
    expect(degraded).toEqual([{ turn_id: 2, step: 'answer', reason: 'trace_blocked', rule }]);
    const text = 'I guarantee that it comes on Monday.';
    expect(JSON.parse(row?.withheld ?? '')).toEqual([{ turn_id: 2, rule, text }]);
  });

  it('hands the call over in the same turn', { timeout: 60_000 }, async () => {
    const { client, degraded } = await asked({ on_violation: 'handoff', safe_line: null });
    expect(agentSaid(client)).toMatch(/^It is on its way\. Of course, I will hand you over/);
    expect(client.controls.filter(({ event }) => event === 'hand_over')).toEqual([
      { event: 'hand_over', to: '', summary: expect.stringContaining('no-guarantees') },
    ]);
    expect(client.controls.at(-1)).toMatchObject({ event: 'ended', reason: 'hand_over' });
    expect(degraded).toMatchObject([{ reason: 'trace_handed_over' }]);
  });
});

import { describe, expect, it } from 'vitest';
import type { EngineVoice } from '../../../src/media/engine/index.ts';
import { BOOKING_TOOL, settle, stage, utterance } from './stage.ts';

describe('a turn', () => {
  it('greets as turn 0 with the consent line first', () => {
    const { session, lane } = stage({ greeting: 'Hello!', consentLine: 'This call is recorded.' });
    session.start();
    expect(lane.audible).toEqual([{ speech: 0, text: 'This call is recorded. Hello!' }]);
    lane.playOut(0);
    expect(session.conversation.transcript).toMatchObject([{ role: 'agent', turnId: 0 }]);
  });

  it('begins to greet only while the caller is silent, and answers at once', async () => {
    const { session, lane, brain } = stage({ greeting: 'Hello!' });
    session.start();
    lane.playOut(0);
    brain.says('At nine.');
    session.take({ kind: 'final', ...utterance('When?') });
    await settle();
    expect([...lane.speeches.values()].map(({ yields }) => yields)).toEqual([true, false]);
  });

  it('says the consent line before the first answer to a caller who spoke first, and once', async () => {
    const { session, lane, brain } = stage({ greeting: 'Hello!', consentLine: 'This call is recorded.' });
    session.start();
    brain.says('At nine.').says('At five.');
    session.take({ kind: 'final', ...utterance('When do you open?') });
    await settle();
    expect(lane.audible).toEqual([{ speech: 1, text: 'This call is recorded. At nine.' }]);
    lane.playOut(1);
    session.take({ kind: 'final', ...utterance('And when do you close?', { utterance: 2 }) });
    await settle();
    expect(lane.audible.at(-1)).toEqual({ speech: 2, text: 'At five.' });
  });

  it('says the consent line again when it was interrupted', async () => {
    const { session, lane, brain } = stage({ consentLine: 'This call is recorded.' });
    session.start();
    lane.begin(0);
    lane.bargeIn(300);
    brain.says('At nine.');
    session.take({ kind: 'final', ...utterance('When do you open?') });
    await settle();
    expect(lane.audible.at(-1)).toEqual({ speech: 1, text: 'This call is recorded. At nine.' });
  });

  it('is dropped by an interrupt before it is heard, and the agent can be made to speak again', async () => {
    const { session, lane, brain } = stage();
    session.start();
    brain.hangs();
    session.take({ kind: 'final', ...utterance('When do you open?') });
    await settle();
    session.interrupt();
    expect(brain.requests[0]?.signal.aborted).toBe(true);
    session.say('We open at nine.');
    expect(lane.audible.at(-1)?.text).toBe('We open at nine.');
  });

  it('answers what was said and measures the gap on the media clock', async () => {
    const { session, lane, brain, sent } = stage();
    session.start();
    brain.says('We open ', 'at nine. ', 'Come by.');
    session.take({ kind: 'final', ...utterance('When do you open?') });
    await settle();
    expect(lane.audible).toEqual([{ speech: 0, text: 'We open at nine. Come by.' }]);
    lane.begin(0, 2_650);
    expect(sent).toContainEqual({
      turn: 2,
      latency: { endpoint: 300, asr: 0, brain: 0, tts: 350, total: 650 },
    });
    lane.playOut(0);
    expect(session.conversation.messages()).toEqual([
      { role: 'user', content: 'When do you open?' },
      { role: 'assistant', content: 'We open at nine. Come by.' },
    ]);
  });

  it('measures no words but the answer', async () => {
    const { session, lane, brain, sent } = stage();
    session.start();
    brain.hangs().says('***').says('At nine.');
    session.take({ kind: 'final', ...utterance('When do you open?') });
    await settle();
    session.interrupt();
    session.say('One moment.');
    lane.begin(1, 60_000);
    lane.playOut(1);
    session.take({ kind: 'final', ...utterance('When?', { endMs: 70_000, atMs: 70_300 }) });
    await settle();
    expect(lane.audible.at(-1)?.text).toMatch(/sorry/i);
    lane.begin(2, 77_000);
    lane.playOut(2);
    expect(session.latencies).toEqual([]);
    session.take({ kind: 'final', ...utterance('And now?', { endMs: 80_000, atMs: 80_300 }) });
    await settle();
    lane.begin(3, 80_700);
    expect(sent.filter((one) => typeof one === 'object' && one !== null && 'turn' in one)).toMatchObject([
      { latency: { total: 700 } },
    ]);
  });

  it('ignores an utterance without words', async () => {
    const { session, brain } = stage();
    session.start();
    session.take({ kind: 'final', ...utterance('  ') });
    await settle();
    expect(brain.requests).toHaveLength(0);
  });

  it('joins what the caller adds before an answer was heard', async () => {
    const { session, brain, lane } = stage();
    session.start();
    brain.hangs().says('Two answers.');
    session.take({ kind: 'final', ...utterance('I want') });
    await settle();
    session.take({ kind: 'final', ...utterance('a table') });
    await settle();
    expect(brain.requests[0]?.signal.aborted).toBe(true);
    expect(brain.requests[1]?.request.messages.map((message) => message.content)).toEqual([
      'I want',
      'a table',
    ]);
    expect(lane.audible).toEqual([{ speech: 1, text: 'Two answers.' }]);
  });
});

describe('a change in mid-session', () => {
  const spanish = { id: 'es' } as unknown as EngineVoice;

  it('waits for the turn that is being spoken to end', async () => {
    const { session, lane, brain } = stage();
    session.start();
    brain.says('We open at nine. ');
    session.take({ kind: 'final', ...utterance('When?') });
    await settle();
    lane.begin(0);
    session.reconfigure({ language: 'es' }, spanish);
    expect(lane.log).toEqual([]);
    lane.playOut(0);
    expect(lane.log).toEqual(['voice', 'language']);
    session.reconfigure({ language: 'en' }, null);
    expect(lane.log).toEqual(['voice', 'language', 'language']);
  });

  it('leaves a running turn the tools it was asked with', async () => {
    const { session, dispatcher, brain, invocations } = stage();
    dispatcher.replace([BOOKING_TOOL]);
    session.start();
    let go = (): void => undefined;
    brain.next(async function* () {
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      yield { kind: 'tool_call', call: { id: 'c1', name: 'book', arguments: '{"day":"Monday"}' } };
    });
    session.take({ kind: 'final', ...utterance('Book Monday') });
    await settle();
    dispatcher.replace([]);
    go();
    await settle();
    expect(invocations).toMatchObject([{ name: 'book' }]);
  });
});

describe('an answer that nobody can hear', () => {
  it('because the voice made no sound of it is followed by an apology', async () => {
    const { session, lane, brain, sent } = stage();
    session.start();
    brain.says('你好');
    session.take({ kind: 'final', ...utterance('When?') });
    await settle();
    const silent = { segment: 0, playedMs: 0, totalMs: 0, complete: true };
    session.take({ kind: 'speech_played', speech: 0, segments: [silent] });
    expect(sent).toContainEqual({ degraded: { turnId: 2, rung: 'apology', reason: 'brain_silent' } });
    expect(lane.audible.at(-1)?.text).toMatch(/sorry/i);
  });
});

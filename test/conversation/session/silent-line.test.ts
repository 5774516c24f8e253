import { describe, expect, it } from 'vitest';
import { BrainError } from '../../../src/conversation/brains/index.ts';
import { BOOKING_TOOL, settle, stage, utterance } from './stage.ts';

async function heardAndThinkingOn(text: string) {
  const set = stage();
  set.session.start();
  set.brain.next(async function* (_request, signal) {
    yield { kind: 'text', text };
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  });
  set.session.take({ kind: 'final', ...utterance('When do you open?') });
  await settle();
  set.lane.begin(0);
  return set;
}

describe('the line is never silent', () => {
  it('measures the answer, not the filler before it', async () => {
    const { session, brain, clock, sent } = stage();
    session.start();
    brain.next(async function* () {
      await new Promise<void>((resolve) => clock.after(1_900, resolve));
      yield { kind: 'text', text: 'At nine.' };
    });
    session.take({ kind: 'final', ...utterance('When do you open?') });
    await settle();
    clock.advance(1_200);
    await settle();
    session.take({ kind: 'playing', speech: 0, segment: 0, atMs: 3_700 });
    expect(sent.filter((one) => 'turn' in (one as object))).toEqual([]);
    clock.advance(700);
    await settle();
    session.take({ kind: 'playing', speech: 0, segment: 1, atMs: 5_100 });
    expect(sent).toContainEqual({
      turn: 2,
      latency: { endpoint: 300, asr: 0, brain: 1_900, tts: 900, total: 3_100 },
    });
    session.take({
      kind: 'speech_played',
      speech: 0,
      segments: [
        { segment: 0, playedMs: 900, totalMs: 900, complete: true },
        { segment: 1, playedMs: 500, totalMs: 500, complete: true },
      ],
    });
    expect(session.conversation.transcript.at(-1)).toMatchObject({ startMs: 3_700, endMs: 5_600 });
  });

  it('climbs: a filler, the brain once more, an apology', async () => {
    const { session, lane, brain, clock, sent } = stage();
    session.start();
    brain.hangs().hangs();
    session.take({ kind: 'final', ...utterance('Hello?') });
    await settle();
    clock.advance(1_200);
    expect(lane.audible).toEqual([{ speech: 0, text: 'One moment, please.' }]);
    clock.advance(2_800);
    await settle();
    expect(brain.requests).toHaveLength(2);
    clock.advance(4_000);
    expect(lane.audible[0]?.text).toContain("I'm sorry");
    expect(sent.filter((message) => JSON.stringify(message).includes('degraded'))).toEqual([
      { degraded: { turnId: 2, rung: 'filler', reason: 'brain_slow' } },
      { degraded: { turnId: 2, rung: 'retry', reason: 'brain_slow' } },
      { degraded: { turnId: 2, rung: 'apology', reason: 'brain_timeout' } },
    ]);
  });

  it('leaves a brain that is seen to think its time, and not one that stopped', async () => {
    for (const [lastSignMs, requests] of [
      [3_000, 1],
      [2_000, 2],
    ] as const) {
      const { session, brain, clock, sent } = stage();
      session.start();
      brain.next(async function* (_request, signal) {
        for (let at = 0; at < lastSignMs; at += 500) {
          await new Promise<void>((resolve) => clock.after(500, resolve));
          yield { kind: 'thinking' };
        }
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      });
      brain.hangs();
      session.take({ kind: 'final', ...utterance('Hello?') });
      for (let at = 0; at < 4_000; at += 500) {
        await settle();
        clock.advance(500);
      }
      await settle();
      expect(brain.requests).toHaveLength(requests);
      const retried = { degraded: { turnId: 2, rung: 'retry', reason: 'brain_slow' } };
      expect(sent.some((one) => JSON.stringify(one) === JSON.stringify(retried))).toBe(requests === 2);
    }
  });

  it('is not ended by the failing voice of an answer that was only guessed', async () => {
    const { session, brain, sent } = stage();
    session.start();
    brain.says('At nine.').says('At ten.');
    session.take({ kind: 'eager_end', ...utterance('When?') });
    await settle();
    session.take({ kind: 'speech_failed', speech: 0, message: 'no voice' });
    session.take({ kind: 'final', ...utterance('When?') });
    await settle();
    session.take({ kind: 'speech_failed', speech: 0, message: 'no voice' });
    expect(brain.requests).toHaveLength(2);
    expect(sent.some((one) => JSON.stringify(one).includes('ended'))).toBe(false);
  });

  it('says why nothing is heard of an answer that is there, and ends a call whose voice never comes', async () => {
    const { session, brain, clock, sent } = stage();
    session.start();
    brain.says('At nine.');
    session.take({ kind: 'final', ...utterance('When do you open?') });
    await settle();
    clock.advance(1_200);
    expect(sent).toContainEqual({ degraded: { turnId: 2, rung: 'voice', reason: 'speech_slow' } });
    clock.advance(18_800);
    expect(sent).toContainEqual({ degraded: { turnId: 2, rung: 'end', reason: 'speech_slow' } });
    expect(sent.at(-1)).toEqual({ ended: 'engine_failed' });
  });

  it('ends a call whose greeting never comes, and none in which it goes on for long', () => {
    const mute = stage({ greeting: 'Hello!' });
    mute.session.start();
    mute.clock.advance(20_000);
    expect(mute.sent.at(-1)).toEqual({ ended: 'engine_failed' });
    const long = stage({ consentLine: 'This call is recorded.', greeting: 'Hello!' });
    long.session.start();
    long.lane.begin(0);
    for (let second = 0; second < 60; second++) {
      long.session.take({ kind: 'audio', pcm: new Uint8Array(320) });
      long.clock.advance(1_000);
    }
    expect(long.sent.filter((message) => 'ended' in (message as object))).toEqual([]);
  });

  it('ends the call after three turns without an answer', async () => {
    const { session, lane, brain, sent } = stage();
    session.start();
    for (let turn = 0; turn < 3; turn++) {
      brain.next(() => {
        throw new BrainError('unreachable', 'down', { retryable: false });
      });
      session.take({ kind: 'final', ...utterance('Hello?') });
      await settle();
      lane.playOut(turn);
    }
    await settle();
    expect(session.failures.map(({ reason }) => reason)).toEqual(Array(3).fill('brain_unreachable'));
    expect(sent.at(-1)).toEqual({ ended: 'brain_unavailable' });
  });

  it('asks for words again that recognition lost, and no brain about them', async () => {
    const { session, lane, brain, sent } = stage();
    session.start();
    session.take({ kind: 'lost', utterance: 1, message: 'no memory' });
    await settle();
    expect(sent).toContainEqual({ degraded: { turnId: 2, rung: 'apology', reason: 'recognition_failed' } });
    expect(lane.audible).toEqual([
      { speech: 0, text: "I'm sorry, I didn't catch that. Could you say it again?" },
    ]);
    expect(lane.speeches.get(0)?.yields).toBe(true);
    lane.playOut(0);
    brain.says('At nine.');
    session.take({ kind: 'final', ...utterance('When do you open?') });
    await settle();
    lane.playOut(1);
    expect(brain.requests).toHaveLength(1);
    expect(brain.requests[0]?.request.messages.map(({ role }) => role)).toEqual(['assistant', 'user']);
    expect(session.failures).toEqual([{ turnId: 2, reason: 'recognition_failed' }]);
    // The apology is no answer, so its latency is not reported.
    expect(session.latencies.map(({ turnId }) => turnId)).toEqual([4]);
  });

  it('takes the turn for words that are lost, though an answer was being thought of', async () => {
    const { session, lane, brain } = stage();
    session.start();
    brain.hangs();
    session.take({ kind: 'final', ...utterance('When do you open') });
    await settle();
    session.take({ kind: 'lost', utterance: 2, message: 'no memory' });
    await settle();
    expect(brain.requests[0]?.signal.aborted).toBe(true);
    expect(lane.audible.map(({ text }) => text)).toEqual([
      "I'm sorry, I didn't catch that. Could you say it again?",
    ]);
  });

  it('fills, and in the end gives up, a pause in the middle of an answer', async () => {
    const { session, lane, clock, sent } = await heardAndThinkingOn('Let me think about that. ');
    for (let ms = 0; ms < 2_000; ms += 20) {
      session.take({ kind: 'audio', pcm: new Uint8Array(320) });
      clock.advance(20);
    }
    const degraded = () => sent.filter((message) => 'degraded' in (message as object));
    expect(degraded()).toEqual([]);
    clock.advance(1_600);
    expect(lane.audible.at(-1)?.text).toContain('One moment');
    expect(degraded()).toEqual([{ degraded: { turnId: 2, rung: 'filler', reason: 'brain_slow' } }]);
    clock.advance(7_000);
    await settle();
    expect(degraded().at(-1)).toEqual({ degraded: { turnId: 2, rung: 'apology', reason: 'brain_timeout' } });
  });

  it('does not take a late voice for a pause of the brain', async () => {
    const { lane, clock, sent } = await heardAndThinkingOn(
      'We open at nine. And we close at five on every day of the week. On ',
    );
    clock.advance(5_000);
    expect(lane.audible.at(-1)?.text).toBe('We open at nine. And we close at five on every day of the week.');
    expect(sent.filter((message) => 'degraded' in (message as object))).toEqual([]);
  });

  it('ends the call when words were lost three times in a row', async () => {
    const { session, lane, sent } = stage();
    session.start();
    for (let turn = 0; turn < 3; turn++) {
      session.take({ kind: 'lost', utterance: turn, message: 'no memory' });
      await settle();
      lane.playOut(turn);
    }
    await settle();
    expect(session.failures.map(({ reason }) => reason)).toEqual(Array(3).fill('recognition_failed'));
    expect(sent.at(-1)).toEqual({ ended: 'engine_failed' });
  });

  it('does not count failures that an answer came between, though it was ready before the endpoint', async () => {
    const { session, lane, brain, sent } = stage();
    session.start();
    for (let turn = 0; turn < 6; turn++) {
      if (turn % 2 === 0)
        brain.next(() => {
          throw new BrainError('unreachable', 'down', { retryable: false });
        });
      else brain.says('At nine.');
      session.take({ kind: 'eager_end', ...utterance('Hello?') });
      await settle();
      session.take({ kind: 'final', ...utterance('Hello?') });
      await settle();
      lane.playOut(turn);
    }
    expect(session.failures).toHaveLength(3);
    expect(sent.filter((message) => 'ended' in (message as object))).toEqual([]);
  });

  it.each(['…', '😀👍', '***'])(
    'apologizes for an answer of which nothing can be said: %s',
    async (answer) => {
      const { session, lane, brain, sent } = stage();
      session.start();
      brain.says(answer);
      session.take({ kind: 'final', ...utterance('Hello?') });
      await settle();
      expect(lane.audible[0]?.text).toContain("I'm sorry");
      expect(sent).toContainEqual({ degraded: { turnId: 2, rung: 'apology', reason: 'brain_silent' } });
    },
  );

  it('climbs anew once a tool has answered, whatever was said before it was called', async () => {
    const { session, lane, brain, dispatcher, clock, sent } = stage();
    dispatcher.replace([BOOKING_TOOL]);
    session.start();
    brain.next(async function* () {
      yield { kind: 'text', text: 'Let me check that for you.' };
      yield { kind: 'tool_call', call: { id: 'a', name: 'book', arguments: '{"day":"Monday"}' } };
    });
    brain.hangs().hangs();
    session.take({ kind: 'final', ...utterance('Book Monday') });
    await settle();
    clock.advance(300);
    expect(lane.audible).toEqual([{ speech: 0, text: 'Let me check that for you. Let me look.' }]);
    dispatcher.settle('tc_1', { result: { ok: true } });
    await settle();
    lane.begin(0);
    clock.advance(1_200);
    expect(lane.audible[0]?.text).toBe('Let me check that for you. Let me look. One moment, please.');
    clock.advance(6_800);
    expect(lane.audible[0]?.text).toContain("I'm sorry");
    expect(sent.filter((message) => JSON.stringify(message).includes('degraded'))).toEqual([
      { degraded: { turnId: 2, rung: 'filler', reason: 'brain_slow' } },
      { degraded: { turnId: 2, rung: 'retry', reason: 'brain_slow' } },
      { degraded: { turnId: 2, rung: 'apology', reason: 'brain_timeout' } },
    ]);
  });

  it.each([
    ['a noise', { kind: 'final', ...utterance('') }],
    ['a sign of listening', { kind: 'backchannel', ...utterance('Mhm.') }],
  ] as const)('asks a caller of whom it heard %s alone', (_name, event) => {
    const { session, lane, clock } = stage();
    session.start();
    session.take({ kind: 'speech_start', atMs: 0 });
    session.take(event);
    clock.advance(20_000);
    expect(lane.audible.at(-1)?.text).toBe('Are you still there?');
  });

  it('asks a silent caller, and then lets the call go', () => {
    const { session, lane, clock, sent } = stage();
    session.start();
    for (let prompt = 0; prompt < 3; prompt++) {
      clock.advance(20_000);
      expect(lane.audible.at(-1)?.text).toBe('Are you still there?');
      lane.playOut(prompt);
    }
    clock.advance(20_000);
    expect(sent.at(-1)).toEqual({ ended: 'caller_idle' });
  });
});

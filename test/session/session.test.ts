import { describe, expect, it } from 'vitest';
import { BrainError, type BrainEvent } from '../../src/brain/index.ts';
import type { EngineVoice } from '../../src/engine/index.ts';
import { settle, stage, utterance } from './stage.ts';

const BOOK = {
  name: 'book',
  description: 'Books a table',
  parameters: { type: 'object', required: ['day'], properties: { day: { type: 'string' } } },
  timeoutMs: 5_000,
  filler: 'Let me look.',
};

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
    const { session, desk, brain, invocations } = stage();
    desk.replace([BOOK]);
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
    desk.replace([]);
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

describe('keys', () => {
  const asked = (brain: ReturnType<typeof stage>['brain']) =>
    brain.requests.map(({ request }) => request.messages.at(-1)?.content);

  it('that come one by one make one turn, a while after the last', async () => {
    const { session, brain, clock } = stage();
    session.start();
    brain.says('Thanks.');
    for (const key of '4111') {
      session.dtmf(key, 1_000);
      clock.advance(1_400);
    }
    await settle();
    expect(brain.requests).toHaveLength(0);
    clock.advance(100);
    await settle();
    expect(asked(brain)).toEqual(['(keypad) 4111']);
  });

  it('end with #, which is not told', async () => {
    const { session, brain } = stage();
    session.start();
    brain.says('Thanks.');
    for (const key of '98#') session.dtmf(key, 1_000);
    await settle();
    expect(asked(brain)).toEqual(['(keypad) 98']);
  });

  it('silence the agent with the first', async () => {
    const { session, lane, brain } = stage();
    session.start();
    session.say('We are open all day long.');
    lane.begin(0);
    session.dtmf('1', 1_000);
    expect(lane.playing).toBeNull();
    await settle();
    expect(brain.requests).toHaveLength(0);
  });

  it('and the words behind them are one turn', async () => {
    const { session, brain, clock } = stage();
    session.start();
    brain.says('Noted.');
    session.dtmf('4711', 1_000);
    session.take({ kind: 'final', ...utterance('is my number') });
    await settle();
    clock.advance(5_000);
    await settle();
    expect(asked(brain)).toEqual(['(keypad) 4711 is my number']);
  });

  it('ask nothing of a call that has ended', async () => {
    const { session, brain, clock } = stage();
    session.start();
    session.dtmf('1', 1_000);
    session.end('client_ended');
    clock.advance(5_000);
    await settle();
    expect(brain.requests).toHaveLength(0);
  });
});

describe('speculation', () => {
  it('is played at once when the endpoint confirms it', async () => {
    const { session, lane, brain } = stage();
    session.start();
    brain.says('At nine.');
    session.take({ kind: 'eager_end', ...utterance('When?') });
    await settle();
    expect(lane.audible).toEqual([]);
    session.take({ kind: 'final', ...utterance('When?') });
    expect(lane.audible).toEqual([{ speech: 0, text: 'At nine.' }]);
    expect(brain.requests).toHaveLength(1);
  });

  it('leaves no trace when the caller goes on', async () => {
    const { session, lane, brain, sent, invocations, desk } = stage();
    desk.replace([BOOK]);
    session.start();
    brain.next(async function* () {
      yield { kind: 'memory', memory: 'wrong' };
      yield { kind: 'tool_call', call: { id: 'a', name: 'book', arguments: '{"day":"x"}' } };
    });
    session.take({ kind: 'eager_end', ...utterance('Book') });
    await settle();
    session.take({ kind: 'continued', utterance: 1 });
    brain.says('For Monday.');
    session.take({ kind: 'final', ...utterance('Book for Monday') });
    await settle();
    expect(invocations).toHaveLength(0);
    expect(brain.requests[1]?.request.memory).toBeUndefined();
    expect(lane.audible).toEqual([{ speech: 1, text: 'For Monday.' }]);
    expect(sent.filter((message) => JSON.stringify(message).includes('"final":true'))).toHaveLength(1);
  });

  it('is thrown away when the final words differ', async () => {
    const { session, lane, brain } = stage();
    session.start();
    brain.says('Nine.').says('Ten.');
    session.take({ kind: 'eager_end', ...utterance('When on Monday') });
    await settle();
    session.take({ kind: 'final', ...utterance('When on Sunday') });
    await settle();
    expect(lane.audible).toEqual([{ speech: 1, text: 'Ten.' }]);
  });
});

describe('a barge-in', () => {
  it('keeps only what was heard, in the transcript and for the brain', async () => {
    const { session, lane, brain, sent } = stage();
    session.start();
    brain.says('We are open from nine to five every day.').says('Yes.');
    session.take({ kind: 'final', ...utterance('When?') });
    await settle();
    lane.begin(0, 2_600);
    lane.bargeIn(850);
    expect(sent).toContainEqual({ bargeIn: { turnId: 2, playedMs: 850 } });
    session.take({ kind: 'final', ...utterance('Sunday too?') });
    await settle();
    expect(brain.requests[1]?.request.messages.map((message) => message.content)).toEqual([
      'When?',
      'We are open from',
      'Sunday too?',
    ]);
    expect(session.conversation.transcript[1]).toMatchObject({ text: 'We are open from', interrupted: true });
  });

  it('is told when words take the turn that no sound took', async () => {
    const { session, lane, brain, sent } = stage({ greeting: 'We are open from nine in the morning.' });
    session.start();
    lane.begin(0);
    lane.playing = { speech: 0, playedMs: 600 };
    brain.says('Yes.');
    session.take({ kind: 'final', ...utterance('Stop, please.') });
    await settle();
    expect(sent).toContainEqual({ bargeIn: { turnId: 0, playedMs: 600 } });
  });

  it('takes a yes in the last words of a question for its answer', async () => {
    const { session, lane, brain, clock } = stage();
    session.start();
    brain.says('Shall I book it?');
    session.take({ kind: 'final', ...utterance('A table, please.') });
    await settle();
    lane.begin(0);
    session.take({ kind: 'backchannel', ...utterance('Yes.') });
    clock.advance(300);
    brain.says('It is booked.');
    lane.playOut(0);
    await settle();
    expect(brain.requests).toHaveLength(2);
    const roles = session.conversation.transcript.map(({ role, text }) => [role, text]);
    expect(roles).toEqual([
      ['user', 'A table, please.'],
      ['agent', 'Shall I book it?'],
      ['user', 'Yes.'],
    ]);
  });

  it('takes a yes that is known once the question was asked for its answer, too', async () => {
    const { session, lane, brain } = stage();
    session.start();
    brain.says('Shall I book it?');
    session.take({ kind: 'final', ...utterance('A table, please.') });
    await settle();
    lane.begin(0);
    lane.playOut(0);
    brain.says('It is booked.');
    session.take({ kind: 'backchannel', ...utterance('Yes.') });
    await settle();
    expect(brain.requests).toHaveLength(2);
  });

  it('notes a sign of listening early in a question, or in one that is cut, and asks nobody', async () => {
    for (const cut of [false, true]) {
      const { session, lane, brain, clock } = stage();
      session.start();
      brain.says('Shall I book it?');
      session.take({ kind: 'final', ...utterance('A table, please.') });
      await settle();
      lane.begin(0);
      session.take({ kind: 'backchannel', ...utterance('Mhm.') });
      clock.advance(2_000);
      if (cut) lane.cut();
      else lane.playOut(0);
      await settle();
      expect(brain.requests).toHaveLength(1);
      expect(session.conversation.transcript.map(({ text }) => text)).toContain('Mhm.');
    }
  });

  it('leaves the turn with the agent on a backchannel', async () => {
    const { session, lane, brain } = stage();
    session.start();
    brain.says('We are open from nine to five.');
    session.take({ kind: 'final', ...utterance('When?') });
    await settle();
    lane.begin(0);
    session.take({ kind: 'backchannel', ...utterance('Mhm.') });
    lane.playOut(0);
    expect(brain.requests).toHaveLength(1);
    expect(session.conversation.messages().at(-1)).toMatchObject({
      content: 'We are open from nine to five.',
    });
  });

  it('is told to the brain that is asked next: what was heard of it, the tools that it called, what it had in mind', async () => {
    const { session, lane, brain, clock, invocations } = stage();
    session.start();
    session.reconfigure({}, null);
    brain.next(async function* () {
      yield { kind: 'memory', memory: 'the form' };
      yield { kind: 'text', text: 'We are open from nine to five.' };
    });
    session.take({ kind: 'final', ...utterance('When do you open?') });
    await settle();
    lane.begin(0, 2_500);
    // A real lane answers a cut with its next tick, when the next turn has begun.
    lane.cut = () => undefined;
    brain.says('Yes.');
    session.take({ kind: 'final', ...utterance('On Sundays?', { utterance: 2 }) });
    await settle();
    expect(brain.requests).toHaveLength(1);
    if (lane.playing !== null) lane.playing.playedMs = 850;
    lane.stop('command');
    await settle();
    expect(brain.requests[1]?.request.messages).toEqual([
      { role: 'user', content: 'When do you open?' },
      { role: 'assistant', content: 'We are open from' },
      { role: 'user', content: 'On Sundays?' },
    ]);
    expect(brain.requests[1]?.request.memory).toBe('the form');
    // A lane that says nothing does not hold the turn for long.
    lane.begin(1, 4_000);
    brain.says('No.');
    session.take({ kind: 'final', ...utterance('And on Mondays?', { utterance: 3 }) });
    await settle();
    clock.advance(100);
    await settle();
    expect(brain.requests).toHaveLength(3);
    expect(invocations).toEqual([]);
  });

  it('puts what was heard before the words that interrupted, though the lane tells it later', async () => {
    const { session, lane, brain } = stage();
    session.start();
    brain.says('One two three four five six.').says('Fine.');
    session.take({ kind: 'final', ...utterance('Count') });
    await settle();
    lane.begin(0);
    lane.cut = () => undefined;
    session.take({ kind: 'final', ...utterance('Stop') });
    if (lane.playing) lane.playing.playedMs = 400;
    lane.stop('command');
    await settle();
    expect(session.conversation.messages().map((message) => message.content)).toEqual([
      'Count',
      'One two',
      'Stop',
    ]);
  });
});

describe('tools', () => {
  it('sends a call, says its filler, and gives the first answer to the brain', async () => {
    const { session, lane, brain, desk, invocations, clock } = stage();
    desk.replace([BOOK]);
    session.start();
    brain.next(async function* () {
      yield { kind: 'tool_call', call: { id: 'a', name: 'book', arguments: '{"day":"Monday"}' } };
    });
    brain.says('You are booked.');
    session.take({ kind: 'final', ...utterance('Book Monday') });
    await settle();
    expect(invocations).toEqual([
      { callId: 'tc_1', name: 'book', arguments: { day: 'Monday' }, timeoutMs: 5_000 },
    ]);
    clock.advance(299);
    expect(lane.audible).toEqual([]);
    clock.advance(1);
    expect(lane.audible).toEqual([{ speech: 0, text: 'Let me look.' }]);
    expect(desk.settle('tc_1', { result: { ok: true } })).toBe(true);
    expect(desk.settle('tc_1', { result: { ok: false } })).toBe(true);
    expect(desk.settle('tc_9', { result: 1 })).toBe(false);
    await settle();
    expect(brain.requests[1]?.request.messages.at(-1)).toEqual({
      role: 'tool',
      callId: 'a',
      name: 'book',
      content: '{"ok":true}',
    });
    expect(lane.audible).toEqual([{ speech: 0, text: 'Let me look. You are booked.' }]);
  });

  const calling = (id: string, args: string) =>
    async function* (): AsyncGenerator<BrainEvent> {
      yield { kind: 'tool_call', call: { id, name: 'book', arguments: args } };
    };

  it('says no filler for a tool that is quick, nor for a call that was not sent', async () => {
    const { session, lane, brain, desk, invocations, clock } = stage();
    desk.replace([BOOK]);
    session.start();
    brain
      .next(calling('a', '{"day":5}'))
      .next(calling('b', 'no JSON'))
      .next(calling('c', '{"day":"Monday"}'));
    brain.says('You are booked.');
    session.take({ kind: 'final', ...utterance('Book Monday') });
    await settle();
    expect(invocations).toHaveLength(1);
    clock.advance(250);
    desk.settle('tc_1', { result: 'ok' });
    await settle();
    clock.advance(1_000);
    expect(lane.audible).toEqual([{ speech: 0, text: 'You are booked.' }]);
  });

  it('says the tool’s own filler once in a turn, and is never silent for long', async () => {
    const { session, lane, brain, desk, clock } = stage();
    desk.replace([BOOK]);
    session.start();
    brain
      .next(calling('a', '{"day":"Monday"}'))
      .next(calling('b', '{"day":"Tuesday"}'))
      .says('Both are taken.');
    session.take({ kind: 'final', ...utterance('Book Monday or Tuesday') });
    await settle();
    const said = () => lane.audible[0]?.text;
    clock.advance(4_299);
    expect(said()).toBe('Let me look.');
    clock.advance(1);
    expect(said()).toBe('Let me look. One moment, please.');
    desk.settle('tc_1', { result: 'taken' });
    await settle();
    clock.advance(1_199);
    expect(said()).toBe('Let me look. One moment, please.');
    clock.advance(1);
    expect(said()).toBe('Let me look. One moment, please. One moment, please.');
    desk.settle('tc_2', { result: 'taken' });
    await settle();
    expect(said()).toMatch(/Both are taken\.$/);
  });

  it('does not act twice when the brain asks twice in a turn', async () => {
    const { desk, invocations } = stage();
    desk.replace([BOOK]);
    const first = desk.call(2, 'book', '{"day":"Monday"}');
    const again = desk.call(2, 'book', '{ "day": "Monday" }');
    desk.settle('tc_1', { result: 'done' });
    expect(await again).toEqual(await first);
    expect(invocations).toHaveLength(1);
    void desk.call(4, 'book', '{"day":"Monday"}');
    expect(invocations).toHaveLength(2);
  });

  it.each([
    ['nothing', '{}', 'unknown_tool'],
    ['book', '{"day":5}', 'invalid_arguments'],
    ['book', 'not json', 'invalid_arguments'],
    ['book', '[]', 'invalid_arguments'],
  ])('refuses %s(%s): %s', async (name, text, reason) => {
    const { desk, invocations } = stage();
    desk.replace([BOOK]);
    expect(await desk.call(1, name, text)).toMatchObject({ kind: 'error', reason });
    expect(invocations).toHaveLength(0);
  });

  it('gives up on a tool that does not answer, or when the call ends', async () => {
    const { desk, clock } = stage();
    desk.replace([BOOK]);
    const slow = desk.call(1, 'book', '{"day":"a"}');
    clock.advance(5_000);
    expect(await slow).toMatchObject({ reason: 'timeout' });
    const open = desk.call(1, 'book', '{"day":"b"}');
    desk.close();
    expect(await open).toMatchObject({ reason: 'closed' });
  });
});

/** A call in which the brain has said these words and goes on thinking, and the first of them are being heard. */
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
    // The apology is no answer whose time is told.
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
    // It is being heard for two seconds.
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
    const { session, lane, brain, desk, clock, sent } = stage();
    desk.replace([BOOK]);
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
    desk.settle('tc_1', { result: { ok: true } });
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

describe('the end', () => {
  it.each([
    ['were being said', { kind: 'partial', utterance: 1, text: 'And cancel it, bye' }, 'And cancel it, bye'],
    ['seemed to be over', { kind: 'eager_end', ...utterance('Cancel it.') }, 'Cancel it.'],
  ] as const)('leaves nothing out of the transcript that %s', async (_how, event, text) => {
    const { session, clock, sent } = stage();
    session.start();
    session.take({ kind: 'speech_start', atMs: 1_000 });
    session.take(event);
    clock.advance(700);
    session.end('client_gone');
    await settle();
    const entry = session.conversation.transcript.at(-1);
    expect(entry).toMatchObject({ role: 'user', text });
    expect(entry?.endMs).toBeGreaterThan(entry?.startMs ?? 0);
    expect(sent.at(-1)).toEqual({ ended: 'client_gone' });
  });

  it('writes keys that waited for more, and words that are known once', async () => {
    const { session } = stage();
    session.start();
    session.take({ kind: 'speech_start', atMs: 0 });
    session.take({ kind: 'partial', utterance: 1, text: 'My number' });
    session.take({ kind: 'final', ...utterance('My number is') });
    session.dtmf('123', 900);
    session.end('client_ended');
    await settle();
    expect(session.conversation.transcript.map(({ text }) => text)).toEqual(['My number is', '(keypad) 123']);
  });

  it('waits for the last words, then hangs up', async () => {
    const { session, lane, brain, sent } = stage();
    session.start();
    brain.next(async function* () {
      yield { kind: 'text', text: 'Goodbye!' };
      yield { kind: 'action', action: 'end_call' };
    });
    session.take({ kind: 'final', ...utterance('Bye') });
    await settle();
    expect(sent).not.toContainEqual({ ended: 'agent_ended' });
    lane.playOut(0);
    expect(sent.at(-1)).toEqual({ ended: 'agent_ended' });
  });

  it('is told once, with what was heard until then', async () => {
    const { session, lane, brain, sent } = stage();
    session.start();
    brain.says('One two three four five six.');
    session.take({ kind: 'final', ...utterance('Count') });
    await settle();
    lane.begin(0);
    if (lane.playing) lane.playing.playedMs = 400;
    session.end('client_gone');
    session.end('client_ended');
    expect(sent.filter((message) => JSON.stringify(message).includes('ended'))).toEqual([
      { ended: 'client_gone' },
    ]);
    expect(session.conversation.transcript.at(-1)?.text).toBe('One two');
    expect(lane.closed).toBe(true);
  });

  it('does not wait for ever for a lane that has died', async () => {
    const { session, lane, brain, sent, clock } = stage();
    session.start();
    brain.says('One two three.');
    session.take({ kind: 'final', ...utterance('Count') });
    await settle();
    lane.begin(0);
    lane.cut = () => undefined;
    session.take({ kind: 'engine_failed', message: 'gone' });
    expect(sent).not.toContainEqual({ ended: 'engine_failed' });
    clock.advance(500);
    expect(sent.at(-1)).toEqual({ ended: 'engine_failed' });
  });
});

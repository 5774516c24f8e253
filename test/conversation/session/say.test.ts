import { describe, expect, it } from 'vitest';
import { settle, stage, utterance } from './stage.ts';

const heard = (lane: ReturnType<typeof stage>['lane']) => lane.audible.map(({ text }) => text);

describe('words of the customer’s own', () => {
  it('are spoken at once while nobody speaks', () => {
    const { session, lane } = stage();
    session.start();
    session.say('We close soon.');
    expect(heard(lane)).toEqual(['We close soon.']);
    // The caller may begin before the agent does.
    expect(lane.speeches.get(0)?.yields).toBe(true);
  });

  it('wait while the caller speaks, and behind the answer to that', async () => {
    const { session, lane, brain } = stage();
    session.start();
    session.take({ kind: 'speech_start', atMs: 0 });
    session.say('We close soon.');
    session.take({ kind: 'partial', utterance: 1, text: 'When do' });
    await settle();
    expect(heard(lane)).toEqual([]);
    brain.says('At nine.');
    session.take({ kind: 'final', ...utterance('When do you open?') });
    await settle();
    expect(heard(lane)).toEqual(['At nine.']);
    lane.playOut(0);
    expect(heard(lane)).toEqual(['At nine.', 'We close soon.']);
  });

  it('leave the answer that was guessed meanwhile as it is', async () => {
    const { session, lane, brain } = stage();
    session.start();
    session.take({ kind: 'speech_start', atMs: 0 });
    brain.says('At nine.');
    session.take({ kind: 'eager_end', ...utterance('When?') });
    session.say('We close soon.');
    await settle();
    session.take({ kind: 'final', ...utterance('When?') });
    await settle();
    expect(brain.requests).toHaveLength(1);
    expect(heard(lane)).toEqual(['At nine.']);
  });

  it.each([
    ['a noise', { kind: 'final', ...utterance('') }],
    ['a sign of listening', { kind: 'backchannel', ...utterance('Mhm.') }],
  ] as const)('come as soon as what sounded like the caller was %s', (_name, event) => {
    const { session, lane } = stage();
    session.start();
    session.take({ kind: 'speech_start', atMs: 0 });
    session.say('We close soon.');
    expect(heard(lane)).toEqual([]);
    session.take(event);
    expect(heard(lane)).toEqual(['We close soon.']);
  });

  it('wait for the last key', async () => {
    const { session, lane, brain, clock } = stage();
    session.start();
    session.dtmf('1', 0);
    session.say('We close soon.');
    expect(heard(lane)).toEqual([]);
    brain.says('Thanks.');
    clock.advance(1_500);
    await settle();
    lane.playOut(0);
    expect(heard(lane)).toEqual(['Thanks.', 'We close soon.']);
  });

  it('are not lost to a caller who was quicker than the voice', async () => {
    const { session, lane, brain } = stage();
    session.start();
    session.say('We close soon.');
    session.say('And open at nine.');
    session.take({ kind: 'speech_start', atMs: 0 });
    brain.says('Hello.');
    session.take({ kind: 'final', ...utterance('Hello?') });
    await settle();
    expect(lane.log).toEqual(['discard 0']);
    for (const speech of [1, 2, 3]) lane.playOut(speech);
    expect(heard(lane)).toEqual(['Hello.', 'We close soon.', 'And open at nine.']);
    expect(session.conversation.transcript.map(({ text }) => text)).toEqual([
      'Hello?',
      'Hello.',
      'We close soon.',
      'And open at nine.',
    ]);
  });

  it.each(['a sound', 'words', 'a key', 'the client'])(
    'that wait behind others are dropped when %s interrupted those',
    async (what) => {
      const { session, lane, brain } = stage({ greeting: 'We are open from nine to five every day.' });
      session.start();
      lane.begin(0);
      session.say('We close soon.');
      brain.says('Yes.');
      if (what === 'a sound') lane.bargeIn(400);
      if (what === 'words') session.take({ kind: 'final', ...utterance('Sundays?') });
      if (what === 'a key') session.dtmf('1#', 400);
      if (what === 'the client') session.interrupt();
      await settle();
      if (what === 'words' || what === 'a key') lane.playOut(1);
      expect(heard(lane)).not.toContain('We close soon.');
      session.say('Anything else?');
      expect(heard(lane).at(-1)).toBe('Anything else?');
    },
  );

  it('that come between a cut and the lane’s word of it are spoken', async () => {
    const { session, lane } = stage({ greeting: 'We are open from nine to five every day.' });
    session.start();
    lane.begin(0);
    lane.stopPlayback = () => undefined;
    session.interrupt();
    session.say('Anything else?');
    lane.stop('command');
    expect(heard(lane).at(-1)).toBe('Anything else?');
  });

  it('that wait for the caller’s end are dropped when the client thinks better of it', () => {
    const { session, lane } = stage();
    session.start();
    session.take({ kind: 'speech_start', atMs: 0 });
    session.say('We close soon.');
    session.interrupt();
    session.take({ kind: 'final', ...utterance('') });
    expect(heard(lane)).toEqual([]);
  });

  it('are not too many', () => {
    const { session, lane } = stage();
    session.start();
    session.take({ kind: 'speech_start', atMs: 0 });
    for (let at = 0; at < 20; at++) expect(session.say(`${at}`)).toBe(true);
    expect(session.say('20')).toBe(false);
    session.take({ kind: 'final', ...utterance('') });
    for (let speech = 0; speech < 20; speech++) lane.playOut(speech);
    expect(heard(lane)).toEqual(Array.from({ length: 20 }, (_, at) => String(at)));
  });

  it('wait as long as the caller speaks, and the voice is not taken for dead', () => {
    const { session, lane, clock, sent } = stage({ greeting: 'Hello!' });
    session.start();
    session.take({ kind: 'speech_start', atMs: 0 });
    session.say('We close soon.');
    clock.advance(60_000);
    expect(sent).toEqual([{ speech: 'started', atMs: expect.any(Number) }]);
    session.take({ kind: 'final', ...utterance('') });
    clock.advance(20_000);
    expect(sent.at(-1)).toEqual({ ended: 'engine_failed' });
    expect(lane.closed).toBe(true);
  });
});

describe('words that interrupt', () => {
  it('begin over the caller, with a number of their own, and the brain is told of them', async () => {
    const { session, lane, brain, sent } = stage();
    session.start();
    session.take({ kind: 'speech_start', atMs: 0 });
    session.take({ kind: 'partial', utterance: 1, text: 'I want' });
    session.say('Wait!', { interrupt: true });
    expect(heard(lane)).toEqual(['Wait!']);
    expect(lane.speeches.get(0)?.yields).toBe(false);
    lane.playOut(0);
    brain.says('At nine.');
    session.take({ kind: 'final', ...utterance('I want to know when you open') });
    await settle();
    expect(brain.requests[0]?.request.messages).toEqual([
      { role: 'assistant', content: 'Wait!' },
      { role: 'user', content: 'I want to know when you open' },
    ]);
    lane.playOut(1);
    const numbers = sent.flatMap((one) => {
      const { transcript } = one as { transcript?: { role: string; turnId: number } };
      return transcript === undefined ? [] : [`${transcript.role} ${transcript.turnId}`];
    });
    expect([...new Set(numbers)]).toEqual(['user 1', 'agent 2', 'agent 3']);
  });

  it('take the place of what is being said and of all that waits', async () => {
    const { session, lane, sent } = stage({ greeting: 'We are open from nine to five every day.' });
    session.start();
    lane.begin(0);
    if (lane.playing !== null) lane.playing.playedMs = 850;
    session.say('Never said.');
    session.say('We have to hang up.', { interrupt: true });
    expect(sent).toContainEqual({ bargeIn: { turnId: 0, playedMs: 850 } });
    lane.playOut(1);
    expect(heard(lane).at(-1)).toBe('We have to hang up.');
    expect(session.conversation.transcript.map(({ text }) => text)).toEqual([
      'We are open from',
      'We have to hang up.',
    ]);
  });

  it('take the place of an answer that is being thought of', async () => {
    const { session, lane, brain } = stage();
    session.start();
    brain.hangs();
    session.take({ kind: 'final', ...utterance('When?') });
    await settle();
    session.say('We have to hang up.', { interrupt: true });
    expect(brain.requests[0]?.signal.aborted).toBe(true);
    expect(heard(lane)).toEqual(['We have to hang up.']);
  });
});

import { describe, expect, it } from 'vitest';
import { settle, stage, utterance } from './stage.ts';

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

  it('notes a backchannel early in a question, or in an interrupted one, and asks nobody', async () => {
    for (const cut of [false, true]) {
      const { session, lane, brain, clock } = stage();
      session.start();
      brain.says('Shall I book it?');
      session.take({ kind: 'final', ...utterance('A table, please.') });
      await settle();
      lane.begin(0);
      session.take({ kind: 'backchannel', ...utterance('Mhm.') });
      clock.advance(2_000);
      if (cut) lane.stopPlayback();
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
    // A real lane answers an interruption with its next tick, after the next turn has begun.
    lane.stopPlayback = () => undefined;
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
    lane.stopPlayback = () => undefined;
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

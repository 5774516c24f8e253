// @requirement Omni: A session takes typed input and context, and reports `speech_started` and `speech_stopped`.
import { describe, expect, it } from 'vitest';
import type { Interlude } from '../../../src/conversation/session/index.ts';
import { settle, stage, utterance } from './stage.ts';

describe('what comes beside the caller’s voice', () => {
  it('a typed turn silences the agent, and is answered', async () => {
    const { session, lane, brain } = stage({ greeting: 'Hello, this is a long greeting.' });
    brain.says('Typed, I see.');
    session.start();
    lane.begin(0);
    session.input.typedTurn('Hi there', 500);
    await settle();
    expect(lane.playing).toBeNull();
    expect(session.conversation.transcript.at(-1)).toMatchObject({
      role: 'user',
      text: 'Hi there',
      startMs: 500,
    });
    expect(brain.requests[0]?.request.messages.at(-1)).toEqual({ role: 'user', content: 'Hi there' });
  });

  it('context is told with the next turn, is not spoken, and stands in no transcript', async () => {
    const { session, lane, brain } = stage();
    brain.says('Order 4711, I see.');
    session.start();
    session.input.injectContext('They look at order 4711.');
    await settle();
    expect(brain.requests).toEqual([]);
    expect(lane.speeches.size).toBe(0);
    session.take({ kind: 'final', ...utterance('Where is it?') });
    await settle();
    expect(brain.requests[0]?.request.messages).toEqual([
      { role: 'user', content: '<context>They look at order 4711.</context>' },
      { role: 'user', content: 'Where is it?' },
    ]);
    expect(session.conversation.transcript).toHaveLength(1);
  });

  it('the time being over, the call ends behind the farewell', async () => {
    const { session, lane, sent } = stage({ phrases: { farewell: 'Time is over.' } });
    session.start();
    session.input.endWithFarewell('max_duration');
    expect(lane.audible.at(-1)?.text).toBe('Time is over.');
    lane.playOut(lane.audible.at(-1)!.speech);
    await settle();
    expect(sent.at(-1)).toEqual({ ended: 'max_duration' });
    const silent = stage({ phrases: { farewell: null } });
    silent.session.start();
    silent.session.input.endWithFarewell('max_duration');
    expect(silent.sent.at(-1)).toEqual({ ended: 'max_duration' });
  });

  it('a caller who speaks first is not asked, and the brain is told that nothing was done', async () => {
    const dropped: string[] = [];
    const interlude: Interlude = {
      begin: () => ({ kind: 'ask', say: 'Your number?' }),
      take: () => ({ kind: 'done', message: null }),
      dropped: () => dropped.push('dropped'),
    };
    const { session, lane, brain, dispatcher } = stage();
    dispatcher.replace([
      {
        name: 'ask',
        description: '',
        parameters: {},
        timeoutMs: 1_000,
        filler: null,
        act: () => ({ kind: 'interlude', interlude }),
      },
    ]);
    brain
      .next(async function* () {
        yield { kind: 'text', text: 'Let me take your number, please.' };
        yield { kind: 'tool_call', call: { id: 'a', name: 'ask', arguments: '{}' } };
      })
      .says('Go on.');
    session.start();
    session.take({ kind: 'final', ...utterance('Hello') });
    await settle();
    lane.begin(0);
    lane.bargeIn(300);
    session.take({ kind: 'final', ...utterance('Wait') });
    await settle();
    expect(dropped).toEqual(['dropped']);
    expect(lane.audible.some(({ text }) => text.includes('Your number'))).toBe(false);
    const message = brain.requests[1]?.request.messages.map(({ content }) => content).join('|');
    expect(message).toContain('Nothing was done');
  });

  // @requirement Capture: Recognition is biased to the kind that the agent asks for, only while it asks.
  it('what the answer to its question is likely to hold is expected until it came', async () => {
    const { session, lane } = stage();
    session.start();
    const answers = ['Nine', 'Yes'];
    const expects = () => lane.log.filter((line) => line.startsWith('expects'));
    session.input.beginInterlude({
      begin: () => ({ kind: 'ask', say: 'Your number?' }),
      take: () => {
        answers.shift();
        return answers.length > 0 ? { kind: 'ask', say: 'Nine?' } : { kind: 'done', message: null };
      },
      expected: () => (answers.length === 2 ? { before: 'one, nine' } : null),
    });
    expect(expects()).toEqual(['expects one, nine']);
    session.take({ kind: 'final', ...utterance('Nine') });
    expect(expects()).toEqual(['expects one, nine', 'expects null']);
    session.take({ kind: 'final', ...utterance('Yes', { utterance: 2 }) });
    await settle();
    expect(expects()).toEqual(['expects one, nine', 'expects null']);
  });

  it('an apology that a profile wants silent leaves the caller the turn', async () => {
    const { session, lane, brain, sent } = stage({ phrases: { apology: null } });
    brain.next(async function* () {
      yield* [];
    });
    session.start();
    session.take({ kind: 'final', ...utterance('Hello') });
    await settle();
    expect(lane.audible.filter(({ text }) => text !== '')).toEqual([]);
    expect(sent).toContainEqual({ degraded: { turnId: 2, rung: 'apology', reason: 'brain_silent' } });
    brain.says('Yes?');
    session.take({ kind: 'final', ...utterance('Hello again') });
    await settle();
    expect(lane.audible.at(-1)?.text).toBe('Yes?');
  });
});

// @requirement Supervision: Calls of browsers and sockets are heard, whispered to, joined and taken over.
import { describe, expect, it } from 'vitest';
import type { Interlude, InterludeStep } from '../../../src/conversation/session/index.ts';
import { settle, stage, utterance } from './stage.ts';

describe('a muted agent', () => {
  it('stops, writes down what is said, is silent, and answers again when it is unmuted', async () => {
    const { session, lane, brain, clock } = stage({ greeting: 'Hello, this is a long greeting.' });
    brain.says('At nine.');
    session.start();
    lane.begin(0);
    session.mute(true);
    expect(lane.playing).toBeNull();
    const spoken = lane.speeches.size;
    session.take({ kind: 'speech_start', atMs: 0 });
    session.take({ kind: 'eager_end', ...utterance('Are you a person?') });
    session.take({ kind: 'final', ...utterance('Are you a person?') });
    session.say('We close soon.');
    expect(session.input.respond('Say something.')).toBe(true);
    clock.advance(600_000);
    await settle();
    expect(lane.speeches.size).toBe(spoken);
    expect(brain.requests).toEqual([]);
    expect(session.conversation.transcript.at(-1)).toMatchObject({ role: 'user', text: 'Are you a person?' });
    session.mute(false);
    session.take({ kind: 'final', ...utterance('When do you open?') });
    await settle();
    expect(lane.audible.at(-1)?.text).toBe('At nine.');
    expect(brain.requests[0]?.request.messages.slice(-2)).toEqual([
      { role: 'user', content: 'Are you a person?' },
      { role: 'user', content: 'When do you open?' },
    ]);
  });

  it('takes the step of its flow that came meanwhile when it is unmuted', async () => {
    const host: Interlude = {
      begin: () => ({ kind: 'say', say: 'Welcome to the clinic.' }),
      take: () => ({ kind: 'wait' }),
      spoken: () => ({ kind: 'ask', say: 'Your number?' }),
    };
    const { session, lane } = stage({}, [], { host });
    session.start();
    lane.begin(0);
    session.mute(true);
    await settle();
    expect(lane.audible.map(({ text }) => text)).toEqual(['Welcome to the clinic.']);
    session.mute(false);
    await settle();
    expect(lane.audible.at(-1)?.text).toBe('Your number?');
  });

  it('does nothing of its flow before it is unmuted', async () => {
    const acts: string[] = [];
    const act = (name: string): InterludeStep => {
      acts.push(name);
      return { kind: 'leave', say: null, as: 'hand_over' };
    };
    let found: (step: InterludeStep) => void = () => undefined;
    const flows: Record<string, Interlude> = {
      words: {
        begin: () => ({ kind: 'say', say: 'One moment, I hand you over.' }),
        take: () => ({ kind: 'wait' }),
        spoken: () => act('words'),
      },
      tool: {
        begin: () => {
          const done = new Promise<InterludeStep>((resolve) => {
            found = resolve;
          });
          return { kind: 'work', say: 'One moment.', done };
        },
        take: () => ({ kind: 'wait' }),
      },
      time: {
        begin: () => ({ kind: 'wait' }),
        take: () => ({ kind: 'wait' }),
        woken: () => act('time'),
      },
      silence: { begin: () => ({ kind: 'wait' }), take: () => act('silence') },
    };
    for (const [name, host] of Object.entries(flows)) {
      const { session, lane, sent } = stage({}, [], { host });
      session.start();
      if (name === 'words' || name === 'tool') lane.begin(0);
      session.mute(true);
      found({ kind: 'continue', step: () => act('tool') });
      session.input.wake();
      session.take({ kind: 'speech_start', atMs: 0 });
      session.take({ kind: 'final', ...utterance('') });
      await settle();
      expect(acts, name).toEqual([]);
      session.mute(false);
      session.input.wake();
      session.take({ kind: 'final', ...utterance('') });
      await settle();
      expect(acts.splice(0), name).toEqual([name]);
      expect(sent).toContainEqual({ ended: 'hand_over' });
    }
  });

  it('asks the open question again when it is unmuted', async () => {
    let turns = 0;
    const host: Interlude = {
      begin: () => ({ kind: 'ask', say: 'Your number?' }),
      take: () => {
        turns += 1;
        return { kind: 'listen' };
      },
    };
    const { session, lane } = stage({}, [], { host });
    session.start();
    lane.playOut(0);
    for (const times of [2, 3]) {
      session.mute(true);
      session.take({ kind: 'final', ...utterance('I have it here.') });
      session.mute(false);
      const asked = lane.audible.at(-1);
      expect(lane.audible.map(({ text }) => text)).toEqual(Array(times).fill('Your number?'));
      lane.playOut(asked?.speech ?? -1);
    }
    expect(turns).toBe(0);
  });

  it('takes the step after words that nobody heard when it is unmuted', async () => {
    const host: Interlude = {
      begin: () => ({ kind: 'say', say: 'Welcome to the clinic.' }),
      take: () => ({ kind: 'wait' }),
      spoken: (whole) => ({ kind: 'ask', say: whole ? 'Heard.' : 'Your number?' }),
    };
    const { session, lane } = stage({}, [], { host });
    session.start();
    session.mute(true);
    session.mute(false);
    expect(lane.audible.map(({ text }) => text)).toEqual(['Your number?']);
  });

  it('asks whether the caller is there when it is unmuted and no question is open', async () => {
    const terms = { tools: [], own: [], query: null, messages: 6, persona: 'p', refusal: () => null };
    const host: Interlude = {
      begin: () => ({ kind: 'answer', terms }),
      take: () => ({ kind: 'answer', terms }),
    };
    const { session, lane, brain } = stage({}, [], { host });
    brain.hangs().says('We open at nine.');
    session.start();
    await settle();
    session.mute(true);
    session.mute(false);
    expect(lane.audible.at(-1)?.text).toBe('Are you still there?');
    session.take({ kind: 'final', ...utterance('Yes.') });
    await settle();
    expect(lane.audible.at(-1)?.text).toBe('We open at nine.');
  });
});

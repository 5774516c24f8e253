// @requirement Supervision: Calls of browsers and sockets are heard, whispered to, joined and taken over.
import { describe, expect, it } from 'vitest';
import type { Interlude } from '../../../src/conversation/session/index.ts';
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
});

import { describe, expect, it } from 'vitest';
import type { SessionCheckpoint } from '../../../src/conversation/session/session-checkpoint.ts';
import { settle, stage, utterance } from './stage.ts';

const PERSON = { text: 'When are you open?' };

const stored = (checkpoint: SessionCheckpoint) => JSON.parse(JSON.stringify(checkpoint)) as SessionCheckpoint;

async function asked(overrides: Parameters<typeof stage>[0] = {}) {
  const before = stage(overrides);
  before.session.start();
  before.brain.says('We open at nine. ', 'We close at five.');
  before.session.take({ kind: 'final', ...utterance(PERSON.text) });
  await settle();
  return before;
}

function resumed(checkpoint: SessionCheckpoint, overrides: Parameters<typeof stage>[0] = {}) {
  return stage(overrides, [], { resumes: stored(checkpoint) });
}

describe('a session that goes on from a checkpoint', () => {
  it('says the rest of an answer from the sentence in which it was cut off', async () => {
    const { session, lane } = await asked();
    lane.begin(0);
    lane.emit({ kind: 'playing', speech: 0, segment: 1, atMs: 900 });
    const { checkpoint } = session;
    expect(checkpoint).toMatchObject({
      pending: { kind: 'lines', lines: ['We close at five.'] },
      nextTurn: 3,
    });
    expect(checkpoint.entries.at(-1)).toMatchObject({
      role: 'agent',
      text: 'We open at nine.',
      interrupted: true,
    });
    // The node that goes on tells its brain what the caller has heard.
    expect(checkpoint.messages.at(-1)).toEqual({
      turnId: 2,
      messages: [{ role: 'assistant', content: 'We open at nine.' }],
    });
    const after = resumed(checkpoint);
    after.session.resume();
    expect(after.lane.audible).toEqual([{ speech: 0, text: 'Sorry, we were cut off. We close at five.' }]);
    after.lane.playOut(0);
    expect(after.session.conversation.transcript.map(({ role, turnId }) => [role, turnId])).toEqual([
      ['user', 1],
      ['agent', 2],
      ['agent', 3],
    ]);
  });

  it('asks its brain again for an answer that did not come', async () => {
    const before = stage();
    before.session.start();
    before.brain.hangs();
    before.session.take({ kind: 'final', ...utterance(PERSON.text) });
    await settle();
    const after = resumed(before.session.checkpoint);
    after.brain.says('At nine.');
    after.session.resume();
    await settle();
    expect(after.lane.audible).toEqual([{ speech: 0, text: 'Sorry, we were cut off. At nine.' }]);
    expect(after.brain.requests[0]?.request.messages).toEqual([{ role: 'user', content: PERSON.text }]);
  });

  it('says the words of its agent, or none', async () => {
    const { session, lane } = await asked();
    lane.playOut(0);
    const { checkpoint } = session;
    expect(checkpoint.pending).toBeNull();
    const own = resumed(checkpoint, { phrases: { resumed: 'Welcome back.' } });
    own.session.resume();
    expect(own.lane.audible).toEqual([{ speech: 0, text: 'Welcome back.' }]);
    const silent = resumed(checkpoint, { phrases: { resumed: null } });
    silent.session.resume();
    expect(silent.lane.audible).toEqual([]);
    silent.brain.says('At five.');
    silent.session.take({ kind: 'final', ...utterance('And when do you close?') });
    await settle();
    expect(silent.brain.requests[0]?.request.messages.map(({ content }) => content)).toEqual([
      PERSON.text,
      'We open at nine. We close at five.',
      'And when do you close?',
    ]);
  });

  it('begins with the consent line that was not heard', async () => {
    const consentLine = 'This call is recorded.';
    const before = stage({ consentLine });
    before.session.start();
    const after = resumed(before.session.checkpoint, { consentLine });
    after.session.resume();
    expect(after.lane.audible[0]?.text).toMatch(/^This call is recorded\. /);
  });
});

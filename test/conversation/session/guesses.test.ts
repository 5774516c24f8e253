// @requirement Brains: A setting turns speculative answers off, and metrics count what they cost.
import { describe, expect, it } from 'vitest';
import { settle, stage, utterance } from './stage.ts';

describe('answers that are begun on a guess', () => {
  it('are counted as used, or as thrown away', async () => {
    const { session, brain, guesses } = stage();
    brain.says('At nine.').says('At ten.');
    session.start();
    session.take({ kind: 'speech_start', atMs: 0 });
    session.take({ kind: 'eager_end', ...utterance('When do you open') });
    await settle();
    session.take({ kind: 'continued', utterance: 1 });
    session.take({ kind: 'eager_end', ...utterance('When do you open on Sunday') });
    await settle();
    session.take({ kind: 'final', ...utterance('When do you open on Sunday') });
    await settle();
    expect(guesses).toEqual(['discarded', 'used']);
    expect(brain.requests).toHaveLength(2);
  });

  it('are not begun where that is switched off', async () => {
    const { session, brain, guesses } = stage({}, [], { speculates: false });
    brain.says('At ten.');
    session.start();
    session.take({ kind: 'eager_end', ...utterance('When do you open') });
    await settle();
    expect(brain.requests).toEqual([]);
    session.take({ kind: 'final', ...utterance('When do you open') });
    await settle();
    expect(brain.requests).toHaveLength(1);
    expect(guesses).toEqual([]);
  });
});

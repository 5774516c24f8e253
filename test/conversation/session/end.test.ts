import { describe, expect, it } from 'vitest';
import { settle, stage, utterance } from './stage.ts';

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
    expect(session.conversation.transcript.at(-1)).toMatchObject({ text: 'One two', interrupted: false });
    expect(lane.closed).toBe(true);
  });

  it('says its farewell to the end, although the words before it are reported late', async () => {
    const { session, lane, brain, sent } = stage();
    session.start();
    brain.says('One two three four five six.');
    session.take({ kind: 'final', ...utterance('Count') });
    await settle();
    lane.begin(0);
    lane.stopPlayback = () => undefined;
    session.input.endWithFarewell('max_duration');
    session.take({ kind: 'speech_interrupted', speech: 0, reason: 'command', playedMs: 0, segments: [] });
    await settle();
    expect(sent).not.toContainEqual({ ended: 'max_duration' });
    lane.playOut(1);
    await settle();
    expect(sent.at(-1)).toEqual({ ended: 'max_duration' });
  });

  it('comes where the farewell is stopped before it can be heard', async () => {
    const { session, sent } = stage();
    session.start();
    session.input.endWithFarewell('max_duration');
    session.interrupt();
    await settle();
    expect(sent.at(-1)).toEqual({ ended: 'max_duration' });
  });

  it('comes once where an interlude leaves because the caller was not understood', async () => {
    const leaving = { kind: 'leave', say: null, as: 'hand_over' } as const;
    const host = { begin: () => leaving, take: () => leaving };
    const { session, lane, sent } = stage({ greeting: 'Hello!' }, [], { host });
    session.start();
    session.take({ kind: 'lost', utterance: 1, message: 'noise' });
    await settle();
    expect(sent.at(-1)).toEqual({ ended: 'hand_over' });
    expect([...lane.speeches.keys()]).toEqual([0]);
  });

  it('leaves a late backchannel out of the record', async () => {
    const { session } = stage();
    session.start();
    session.take({ kind: 'speech_start', atMs: 1_000 });
    session.take({ kind: 'partial', utterance: 1, text: 'Okay' });
    session.end('client_gone');
    session.take({ kind: 'backchannel', ...utterance('Okay') });
    expect(session.conversation.transcript.map(({ text }) => text)).toEqual(['Okay']);
  });

  it('does not wait for ever for a lane that has died', async () => {
    const { session, lane, brain, sent, clock } = stage();
    session.start();
    brain.says('One two three.');
    session.take({ kind: 'final', ...utterance('Count') });
    await settle();
    lane.begin(0);
    lane.stopPlayback = () => undefined;
    session.take({ kind: 'engine_failed', message: 'gone' });
    expect(sent).not.toContainEqual({ ended: 'engine_failed' });
    clock.advance(500);
    expect(sent.at(-1)).toEqual({ ended: 'engine_failed' });
  });
});

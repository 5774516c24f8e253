import { describe, expect, it } from 'vitest';
import { OnHold } from '../../src/session/on-hold.ts';
import { settle, stage, utterance } from './stage.ts';

const MUSIC = { kind: 'music', playing: true, atMs: 1_000 } as const;
const over = (atMs: number) => ({ kind: 'music', playing: false, atMs }) as const;
const said = (text: string, number: number, startMs: number, endMs: number) =>
  ({ kind: 'final', ...utterance(text, { utterance: number }), startMs, endMs }) as const;

describe('a line that plays music', () => {
  function held() {
    const all = stage();
    const hold = new OnHold(all.clock, (event) => all.session.take(event));
    all.session.start();
    hold.take(MUSIC);
    return { ...all, hold };
  }

  it('is answered nothing, whatever is heard in it, and the brain is not asked', async () => {
    const { hold, session, brain, lane } = held();
    hold.take({ kind: 'speech_start', atMs: 3_000 });
    hold.take({ kind: 'partial', utterance: 1, text: 'Oh baby' });
    hold.take({ ...said('Oh baby.', 1, 3_000, 4_000), kind: 'eager_end' });
    hold.take(said('Oh baby.', 1, 3_000, 4_000));
    hold.take(over(9_000));
    await settle();
    expect(brain.requests).toHaveLength(0);
    expect(lane.audible).toEqual([]);
    expect(session.conversation.transcript).toEqual([]);
  });

  it('is not asked whether it is still there, and is once the music has ended', async () => {
    const { hold, clock, lane } = held();
    clock.advance(120_000);
    await settle();
    expect(lane.audible).toEqual([]);
    hold.take(over(121_000));
    clock.advance(20_000);
    await settle();
    expect(lane.audible).toHaveLength(1);
  });

  it('is left by a person who speaks when the music ends, though that is told behind their words', async () => {
    const { hold, session, brain, lane } = held();
    brain.says('Good morning.');
    hold.take(said('Hello, who is there?', 1, 9_200, 10_100));
    await settle();
    expect(brain.requests).toHaveLength(0);
    hold.take(over(9_000));
    await settle();
    expect(brain.requests).toHaveLength(1);
    expect(lane.audible.at(-1)?.text).toBe('Good morning.');
    expect(session.conversation.transcript).toMatchObject([{ role: 'user', text: 'Hello, who is there?' }]);
  });

  it('was none yet for what began before it', async () => {
    const { hold, brain } = held();
    brain.says('Of course.');
    hold.take(said('Please hold.', 1, 200, 900));
    await settle();
    expect(brain.requests).toHaveLength(1);
  });

  it('is a radio after half an hour', async () => {
    const { hold, clock, brain } = held();
    clock.advance(30 * 60_000);
    brain.says('Yes.');
    hold.take(said('Are you there?', 1, 1_800_500, 1_801_500));
    await settle();
    expect(brain.requests).toHaveLength(1);
  });
});

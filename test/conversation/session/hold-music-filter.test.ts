// @requirement Omni: While `wait_for` waits, hold music is no turn, and a person who speaks is answered.
import { describe, expect, it } from 'vitest';
import { WaitInterlude } from '../../../src/conversation/calls/wait-interlude.ts';
import { HoldMusicFilter } from '../../../src/conversation/session/hold-music-filter.ts';
import { settle, stage, utterance } from './stage.ts';

const MUSIC = { kind: 'music', playing: true, atMs: 1_000 } as const;
const over = (atMs: number) => ({ kind: 'music', playing: false, atMs }) as const;
const said = (text: string, number: number, startMs: number, endMs: number) =>
  ({ kind: 'final', ...utterance(text, { utterance: number }), startMs, endMs }) as const;
const LONGEST_MS = 300_000;

function staged() {
  const all = stage();
  const hold = new HoldMusicFilter(
    () => all.session.input.isWaitingOnLine,
    (event) => all.session.take(event),
  );
  all.session.start();
  return { ...all, hold };
}

describe('a line on which the agent waits', () => {
  function held() {
    const all = staged();
    const { clock, session, hold } = all;
    session.input.beginInterlude(
      new WaitInterlude({ clock, until: 'hold_end', hear: () => 'person', longestMs: LONGEST_MS }),
    );
    hold.take(MUSIC);
    return all;
  }

  it('is answered nothing while it plays music, whatever is heard in it, and the brain is not asked', async () => {
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

  it('plays none yet for what began before it', async () => {
    const { hold, brain } = held();
    brain.says('Of course.');
    hold.take(said('One moment.', 1, 200, 900));
    await settle();
    expect(brain.requests).toHaveLength(1);
  });

  it.each([
    ['singing without end', [said('Oh baby.', 1, 3_000, 4_000)]],
    ['one piece after another', [over(170_000), { ...MUSIC, atMs: 180_000 }]],
    ['nothing but music', []],
  ])('is given up when the wait is over, through %s', async (_, heard) => {
    const { hold, clock, brain } = held();
    brain.says('Nobody came.');
    let waited = 0;
    while (brain.requests.length === 0 && waited <= LONGEST_MS + 30_000) {
      for (const event of heard) hold.take(event);
      await settle();
      if (brain.requests.length > 0) break;
      clock.advance(10_000);
      waited += 10_000;
      await settle();
    }
    expect(brain.requests).toHaveLength(1);
    expect(waited).toBeGreaterThanOrEqual(LONGEST_MS);
  });
});

describe('a caller with music in the room', () => {
  it('is answered, with short words too', async () => {
    const { hold, brain, lane } = staged();
    brain.says('Then I book it.');
    hold.take(MUSIC);
    hold.take(said('Yes.', 1, 3_000, 3_400));
    await settle();
    expect(brain.requests).toHaveLength(1);
    expect(lane.audible.at(-1)?.text).toBe('Then I book it.');
  });

  it('is asked whether they are still there when they say nothing', async () => {
    const { hold, clock, lane } = staged();
    hold.take(MUSIC);
    clock.advance(20_000);
    await settle();
    expect(lane.audible).toHaveLength(1);
  });
});

/** The call has no audio: the agent's words go out as text, at the pace at which a relay would speak them. */
import { describe, expect, it } from 'vitest';
import type { VoiceLaneOptions } from '../../../src/conversation/calls/index.ts';
import type { LaneEvent } from '../../../src/conversation/session/index.ts';
import { TextLane } from '../../../src/telephony/dialling/text-lane.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const FREE = { held: false, yields: false };
const TEN = '0123456789';

function opened() {
  const clock = new ManualClock();
  const sent: string[] = [];
  const events: LaneEvent[] = [];
  const relay = {
    token: (text: string) => void sent.push(text),
    last: () => void sent.push('|'),
    language: (language: string) => void sent.push(`<${language}>`),
  };
  const options = { onEvent: (event: LaneEvent) => void events.push(event) } as VoiceLaneOptions;
  const lane = new TextLane(clock, relay, options);
  const kinds = () => events.map(({ kind }) => kind);
  return { clock, sent, events, kinds, lane };
}

describe('what the agent says', () => {
  it('goes out as it comes, and is played as long as it takes to say', () => {
    const { clock, sent, events, kinds, lane } = opened();
    lane.speak(1, 0, TEN, FREE);
    lane.speak(1, 1, TEN, FREE);
    expect(sent).toEqual([TEN, ` ${TEN}`]);
    lane.finish(1);
    expect(sent.at(-1)).toBe('|');
    clock.advance(1_499);
    expect(kinds()).toEqual(['playing', 'playing']);
    clock.advance(1);
    expect(events.at(-1)).toEqual({
      kind: 'speech_played',
      speech: 1,
      segments: [
        { segment: 0, playedMs: 750, totalMs: 750, complete: true },
        { segment: 1, playedMs: 750, totalMs: 750, complete: true },
      ],
    });
  });

  it('waits for the speech before it, and may be discarded until then', () => {
    const { clock, sent, lane } = opened();
    lane.speak(1, 0, TEN, FREE);
    lane.finish(1);
    lane.speak(2, 0, 'never', FREE);
    lane.speak(3, 0, 'held', { held: true, yields: false });
    lane.finish(3);
    lane.discard(2);
    clock.advance(5_000);
    expect(sent).toEqual([TEN, '|']);
    lane.release(3);
    expect(sent).toEqual([TEN, '|', 'held', '|']);
  });
});

describe('the caller', () => {
  it('is told to have heard all where nobody interrupted, however slow the estimate is', () => {
    const { kinds, lane } = opened();
    lane.speak(1, 0, TEN.repeat(10), FREE);
    lane.finish(1);
    lane.prompt('And', false);
    lane.prompt('And then?', true);
    expect(kinds()).toEqual(['speech_start', 'partial', 'speech_played', 'final']);
  });

  it('interrupts where the relay says', () => {
    const { clock, events, lane } = opened();
    lane.speak(1, 0, TEN, FREE);
    lane.speak(1, 1, TEN, FREE);
    lane.finish(1);
    clock.advance(100);
    lane.interrupted(`${TEN}01234`);
    const interrupted = events.at(-1);
    expect(interrupted).toMatchObject({ kind: 'speech_interrupted', reason: 'barge_in' });
    expect((interrupted as { segments: unknown }).segments).toEqual([
      { segment: 0, playedMs: 750, totalMs: 750, complete: true },
      { segment: 1, playedMs: 375, totalMs: 750, complete: true },
    ]);
    lane.prompt('Stop.', true);
    expect(events.at(-1)).toMatchObject({ kind: 'final', text: 'Stop.', utterance: 0 });
    clock.advance(10_000);
    expect(events.filter(({ kind }) => kind === 'speech_played')).toEqual([]);
  });

  it('may take the turn of an agent that has not finished', () => {
    const { clock, events, lane } = opened();
    lane.speak(1, 0, TEN, FREE);
    clock.advance(300);
    lane.stopPlayback();
    clock.advance(0);
    expect(events.at(-1)).toMatchObject({ kind: 'speech_interrupted', reason: 'command', playedMs: 300 });
  });
});

it('reads the first 4,000 characters of what the carrier says the caller said', () => {
  const { events, lane } = opened();
  lane.prompt('4 '.repeat(30_000), false);
  lane.prompt('4 '.repeat(30_000), true);
  const texts = events.flatMap((event) => ('text' in event ? event.text : []));
  expect(texts).toEqual(['4 '.repeat(2_000), '4 '.repeat(2_000)]);
});

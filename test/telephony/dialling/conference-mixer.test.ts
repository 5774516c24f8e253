// @requirement Supervision: Supervisors listen, whisper, join and take over.
import { describe, expect, it } from 'vitest';
import { convertAudio } from '../../../src/media/engine/index.ts';
import { type MediaLeg, type MediaSink, tone } from '../../../src/telephony/carriers/index.ts';
import { CallMedia, type MediaHandler } from '../../../src/telephony/dialling/call-media.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const HERTZ = { caller: 500, part: 1000, guest: 2000 } as const;
type Who = keyof typeof HERTZ;
const TONES = Object.fromEntries(
  Object.entries(HERTZ).map(([who, hertz]) => [who, tone([hertz], 1000)]),
) as Record<Who, Uint8Array>;

function share(frames: readonly Uint8Array[], hertz: number): number {
  const pcm = convertAudio('pcmu', Buffer.concat(frames), 'pcm16');
  let [re, im, all] = [0, 0, 0];
  for (let at = 0; at < pcm.length / 2; at++) {
    const sample = pcm.readInt16LE(at * 2);
    re += sample * Math.cos((2 * Math.PI * hertz * at) / 8000);
    im += sample * Math.sin((2 * Math.PI * hertz * at) / 8000);
    all += sample * sample;
  }
  return all === 0 ? 0 : (2 * (re * re + im * im)) / (all * (pcm.length / 2));
}

const heardIn = (frames: readonly Uint8Array[]): Who[] =>
  (Object.keys(HERTZ) as Who[]).filter((who) => share(frames, HERTZ[who]) > 0.05);

function rig(joins = false) {
  const clock = new ManualClock();
  let sink: MediaSink = { audio: () => undefined };
  const toCaller: Uint8Array[] = [];
  const joined: unknown[] = [];
  const none = { frames: 0, lost: null, late: null, concealed: null, jitterMs: null, clipped: null };
  const leg: MediaLeg = {
    format: { codec: 'ulaw', rate: 8000 },
    bind: (one) => {
      sink = one;
    },
    send: (frames) => toCaller.push(frames.slice()),
    clear: () => undefined,
    mark: () => undefined,
    stats: () => ({ received: none, sent: none, mos: null }),
    ...(joins ? { join: (lane: unknown) => joined.push(lane) } : {}),
  };
  const media = new CallMedia(leg, clock);
  const toPart: Uint8Array[] = [];
  let say: MediaLeg['send'] = () => undefined;
  const part: MediaHandler = {
    enter: (own) => {
      say = (frames) => own.send(frames);
      own.join?.({ slot: 1, generation: 1 });
    },
    audio: (frames) => toPart.push(frames.slice()),
    key: () => undefined,
    leave: () => {
      say = () => undefined;
    },
  };
  media.setHandler(part);
  const toGuest: Uint8Array[] = [];
  const talk = (guest?: (frames: Uint8Array) => void) => {
    for (const one of [toCaller, toPart, toGuest]) one.length = 0;
    for (let at = 0; at < 8000; at += 160) {
      sink.audio(TONES.caller.subarray(at, at + 160));
      say(TONES.part.subarray(at, at + 160));
      guest?.(TONES.guest.subarray(at, at + 160));
      clock.advance(20);
    }
    return { caller: heardIn(toCaller), part: heardIn(toPart), guest: heardIn(toGuest) };
  };
  return { clock, media, joined, toCaller, toPart, toGuest, talk };
}

describe('a conference', () => {
  it.each([
    ['nobody', { caller: ['part'], part: ['caller'] }],
    ['part', { caller: ['part'], part: ['caller', 'guest'] }],
    ['all', { caller: ['part', 'guest'], part: ['caller', 'guest'] }],
  ] as const)('lets a guest who tells %s hear both, and be heard by whom they tell', (audibleTo, heard) => {
    const { media, talk, toGuest, toCaller } = rig();
    const seat = media.join({ hear: (frames) => toGuest.push(frames.slice()) }, audibleTo);
    expect(talk((frames) => seat.say(frames))).toEqual({ ...heard, guest: ['caller', 'part'] });
    if (audibleTo !== 'all') expect(Buffer.concat(toCaller)).toEqual(Buffer.from(TONES.part));
    expect(toGuest.length).toBeGreaterThan(40);
  });

  it('leaves the two alone again, and the part of a guest who had the line is silent', () => {
    const { media, talk, toGuest, clock } = rig();
    const seat = media.join({ hear: (frames) => toGuest.push(frames.slice()) }, 'all');
    media.setHandler(null);
    expect(talk((frames) => seat.say(frames))).toEqual({ caller: ['guest'], part: [], guest: ['caller'] });
    seat.leave();
    seat.leave();
    expect(talk((frames) => seat.say(frames))).toEqual({ caller: [], part: [], guest: [] });
    clock.advance(1000);
    expect(clock.timers).toBe(0);
  });

  it('takes the sound out of the engine for as long as there is company', () => {
    const { media, joined, talk, toGuest } = rig(true);
    expect(joined).toEqual([{ slot: 1, generation: 1 }]);
    const seat = media.join({ hear: (frames) => toGuest.push(frames.slice()) }, 'nobody');
    const second = media.join({ hear: () => undefined }, 'nobody');
    expect(talk().guest).toEqual(['caller', 'part']);
    seat.leave();
    expect(joined).toEqual([{ slot: 1, generation: 1 }, null]);
    second.leave();
    expect(joined.at(-1)).toEqual({ slot: 1, generation: 1 });
  });

  it('keeps half a second at most of who is not mixed in time', () => {
    const { media, clock, toGuest } = rig();
    const seat = media.join({ hear: (frames) => toGuest.push(frames.slice()) }, 'all');
    const far = media.join({ hear: () => undefined }, 'all');
    for (let at = 0; at < 100; at++) far.say(new Uint8Array(160));
    clock.advance(2000);
    expect(toGuest.filter((frame) => frame[0] === 0)).toHaveLength(25);
    seat.leave();
  });
});

import Value from 'typebox/value';
import { beforeEach, describe, expect, it } from 'vitest';
import { TelephonyCallRecord } from '../../../src/foundation/events/data/telephony.ts';
import type { MediaLeg, MediaStats } from '../../../src/telephony/carriers/index.ts';
import { StreamLeg } from '../../../src/telephony/carriers/streams/index.ts';
import { CallWatchdog } from '../../../src/telephony/dialling/call-watchdog.ts';
import { CallMedia } from '../../../src/telephony/dialling/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock();
});

describe('an answered line', () => {
  it('is told of once when nothing has come for five seconds, and dead after twenty', () => {
    const direction = { frames: 0, lost: 0, late: 0, concealed: null, jitterMs: 0, clipped: null };
    const leg = {
      bind: () => undefined,
      clear: () => undefined,
      stats: (): MediaStats => ({ received: direction, sent: direction, mos: null }),
    } as unknown as MediaLeg;
    const media = new CallMedia(leg, clock);
    const heard: string[] = [];
    const watch = new CallWatchdog({
      clock,
      media,
      admission: { recheck: async () => 1000 },
      maxDurationMs: 3_600_000,
      end: ({ detail }) => heard.push(String(detail)),
      oneWay: () => heard.push('one way'),
      failed: () => heard.push('failed'),
    });
    clock.advance(5_000);
    expect(heard).toEqual([]);
    clock.advance(13_000);
    expect(heard).toEqual(['one way']);
    clock.advance(2_000);
    watch.stop();
    expect(heard).toEqual(['one way', 'no audio was received for 20 s']);
  });

  it('is not dead while the other side holds it, and counts anew when it comes back', () => {
    const direction = { frames: 7, lost: 0, late: 0, concealed: null, jitterMs: 0, clipped: null };
    const leg = {
      bind: () => undefined,
      stats: (): MediaStats => ({ received: direction, sent: direction, mos: null }),
    } as unknown as MediaLeg;
    const media = new CallMedia(leg, clock);
    media.held(true);
    clock.advance(60_000);
    expect([media.silentMs, media.talkedMs]).toEqual([0, 60_000]);
    media.held(false);
    clock.advance(20_000);
    expect(media.silentMs).toBe(20_000);
  });

  // @requirement Telephony: A call whose RTP stops ends in 20 s and is billed to the last packet.
  it('counts to its last sound, and knows a line on which nothing ever came', () => {
    let frames = 0;
    const direction = { frames: 0, lost: 0, late: 0, concealed: null, jitterMs: 0, clipped: null };
    const leg = {
      bind: () => undefined,
      clear: () => undefined,
      stats: (): MediaStats => ({ received: { ...direction, frames }, sent: direction, mos: null }),
    } as unknown as MediaLeg;
    const media = new CallMedia(leg, clock);
    frames = 50;
    clock.advance(1_000);
    expect(media.silentMs).toBe(0);
    clock.advance(9_000);
    expect([media.silentMs, media.talkedMs]).toEqual([9_000, 1_000]);
    expect(media.quality().one_way).toBe(false);
    frames = 0;
    const deaf = new CallMedia(leg, clock);
    clock.advance(6_000);
    expect(deaf.quality().one_way).toBe(true);
  });
});

// @requirement Call quality: A record reports clipping.
describe('the sound of a line', () => {
  it('is told with what is clipped of it, to the sample, where the carrier streams it', () => {
    const leg = new StreamLeg({ send: () => undefined, close: () => undefined }, 'MZ1', clock);
    const media = new CallMedia(leg, clock);
    expect(media.quality().received?.clipped).toBeNull();
    const half = Uint8Array.from({ length: 160 }, (_, at) => [0x00, 0x80, 0x01, 0xff][at % 4] as number);
    leg.take(1, half);
    leg.take(2, Buffer.alloc(160, 0x81));
    leg.send(new Uint8Array(160).fill(0x80));
    const { received, sent, echo } = media.quality();
    expect([received?.clipped, sent?.clipped, echo]).toEqual([0.25, 1, null]);
  });

  it('is told with what comes back of ours, where the engine hears both ways', () => {
    const way = { frames: 9, lost: 0, late: 0, concealed: 0, jitterMs: 0, clipped: 1 / 3 };
    const echo = { delayMs: 180.125, db: -21.26 };
    const leg = {
      bind: () => undefined,
      stats: (): MediaStats => ({ received: way, sent: way, mos: 4, echo }),
    } as unknown as MediaLeg;
    const quality = new CallMedia(leg, clock).quality();
    expect(quality.echo).toEqual({ delay_ms: 180, level_db: -21.3 });
    expect(quality.received?.clipped).toBe(0.333333);
    expect(Value.Check(TelephonyCallRecord.properties.quality, quality)).toBe(true);
  });
});

describe('what the other side has not heard yet', () => {
  it('is thrown away when somebody else takes the line, and nothing is told where there is none', () => {
    const reported: string[] = [];
    const leg = new StreamLeg(
      { send: (text) => reported.push(JSON.parse(String(text)).event), close: () => undefined },
      'MZ1',
      clock,
    );
    const media = new CallMedia(leg, clock);
    const part = {
      enter: () => undefined,
      audio: () => undefined,
      key: () => undefined,
      leave: () => undefined,
    };
    media.setHandler(part);
    expect(reported).toEqual([]);
    media.leg.send(new Uint8Array(160));
    media.setHandler(part);
    media.setHandler(null);
    expect(reported).toEqual(['media', 'clear']);
  });
});

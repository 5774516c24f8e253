// @requirement WebRTC: ICE in either role, DTLS-SRTP, PCMU, PCMA and telephone-event work.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { loopbackLane } from '../../../src/media/engine/index.ts';
import type {
  Peer,
  PeerEnd,
  PeerListener,
  PeerStats,
  WebRtcService,
} from '../../../src/telephony/webrtc/index.ts';
import { compileProgram } from '../../running-server.ts';
import { node, soundEngine } from './nodes.ts';

beforeAll(compileProgram, 120_000);

class Side implements PeerListener {
  peer: Peer | null = null;
  rate = 0;
  heard: number[] = [];
  keys: string[] = [];
  end: { end: PeerEnd; stats: PeerStats } | null = null;
  connected = (rate: number): void => {
    this.rate = rate;
  };
  audio = (pcm: Uint8Array): void => {
    const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
    for (let at = 0; at < pcm.length; at += 2) this.heard.push(view.getInt16(at, true));
  };
  key = (digit: string): void => void this.keys.push(digit);
  ended = (end: PeerEnd, stats: PeerStats): void => {
    this.end = { end, stats };
  };
}

async function call(caller: WebRtcService, callee: WebRtcService): Promise<{ a: Side; b: Side }> {
  const a = new Side();
  const b = new Side();
  const offer = await caller.offer(a);
  // An ICE-lite callee waits for checks: one that sent them would connect before its own answer arrives.
  const answer = await callee.answer(offer.sdp.replaceAll(/a=candidate:.*\r?\n/g, ''), b);
  offer.peer.answered(answer.sdp);
  a.peer = offer.peer;
  b.peer = answer.peer;
  await vi.waitFor(() => expect([a.rate > 0 || a.end, b.rate > 0 || b.end]).toEqual([true, true]), 20_000);
  return { a, b };
}

const toneOf = (rate: number, amplitude = 12_000): Buffer =>
  Buffer.from(
    Int16Array.from({ length: rate / 50 }, (_, i) =>
      Math.round(amplitude * Math.sin((2 * Math.PI * 500 * i) / rate)),
    ).buffer,
  );
const loud = (samples: readonly number[]): number =>
  samples.filter((sample) => Math.abs(sample) > 3_000).length;

describe('peers', () => {
  // @requirement WebRTC: Opus runs both ways with FEC and DTX.
  it.each([
    ['opus', true, 24_000],
    ['pcmu', false, 8000],
  ] as const)(
    'hear each other by %s, press keys, and end from either side',
    async (codec, opus, rate) => {
      const { a, b } = await call(node(), node({ opus }));
      expect([a.rate, b.rate]).toEqual([rate, rate]);
      for (let i = 0; i < 25; i++) {
        a.peer!.send(toneOf(rate));
        b.peer!.send(toneOf(rate));
      }
      const half = rate / 1000;
      for (const side of [a, b]) {
        await vi.waitFor(() => expect(loud(side.heard)).toBeGreaterThan(rate / 5), 5_000);
        const start = side.heard.findIndex((sample) => Math.abs(sample) > 3_000) + rate / 10;
        const tone = side.heard.slice(start, start + rate / 20);
        expect(loud(tone)).toBeGreaterThan(tone.length / 2);
        for (const [i, sample] of tone.slice(half).entries())
          expect(Math.abs(sample + tone[i]!)).toBeLessThan(1_500);
      }
      a.peer!.press('1#');
      await vi.waitFor(() => expect(b.keys).toEqual(['1', '#']), 5_000);
      b.peer!.close();
      await vi.waitFor(() => expect([a.end?.end, b.end?.end]).toEqual(['closed', 'closed']), 10_000);
      expect(a.end!.stats).toMatchObject({ codec, lost: 0 });
      expect(a.end!.stats.received).toBeGreaterThan(10);
    },
    30_000,
  );

  it('take the first answer alone: one that comes again, or another one, changes nothing', async () => {
    const [caller, callee] = [node(), node()];
    const [a, b] = [new Side(), new Side()];
    const offer = await caller.offer(a);
    const answer = await callee.answer(offer.sdp.replaceAll(/a=candidate:.*\r?\n/g, ''), b);
    offer.peer.answered(answer.sdp);
    offer.peer.answered(answer.sdp);
    await vi.waitFor(() => expect([a.rate, b.rate]).toEqual([24_000, 24_000]), 20_000);
    offer.peer.answered(answer.sdp);
    offer.peer.answered('no description');
    for (let i = 0; i < 25; i++) offer.peer.send(toneOf(24_000));
    offer.peer.press('7');
    await vi.waitFor(() => expect(b.keys).toEqual(['7']), 5_000);
    await vi.waitFor(() => expect(loud(b.heard)).toBeGreaterThan(4_800), 5_000);
    expect([a.end, b.end]).toEqual([null, null]);
  }, 30_000);

  it('throws away what was cut', async () => {
    const { a, b } = await call(node(), node());
    for (let i = 0; i < 25; i++) a.peer!.send(toneOf(24_000));
    a.peer!.clear();
    for (let i = 0; i < 25; i++) a.peer!.send(toneOf(24_000, 2_000));
    const faint = () => Math.max(...b.heard.slice(-4_800).map(Math.abs));
    await vi.waitFor(() => {
      expect(b.heard.length).toBeGreaterThan(9_600);
      expect(faint()).toBeGreaterThan(1_000);
      expect(faint()).toBeLessThan(3_000);
    }, 5_000);
    expect(loud(b.heard)).toBeLessThan(24 * 200);
  }, 30_000);

  // @requirement WebRTC: The engine joins a call with a lane.
  it('is joined with a lane inside the engine: what it says comes back, and none of it this way', async () => {
    const { a, b } = await call(node(), node());
    const nothing = () => undefined;
    const echo = soundEngine().open(loopbackLane, undefined, {
      audio: nothing,
      event: nothing,
      closed: nothing,
    });
    b.peer!.join(echo);
    const before = b.heard.length;
    for (let i = 0; i < 50; i++) a.peer!.send(toneOf(24_000));
    await vi.waitFor(() => expect(loud(a.heard)).toBeGreaterThan(12_000), 5_000);
    expect(b.heard.length - before).toBeLessThan(2_400);
    echo.close();
  }, 30_000);

  it('answers an ICE-lite offer in the controlling role', async () => {
    const lite = node();
    const offer = await lite.offer(new Side());
    const { sdp } = await node().answer(offer.sdp.replace('\r\na=', '\r\na=ice-lite\r\na='), new Side());
    expect(sdp).not.toContain('ice-lite');
    expect(sdp).toMatch(/a=setup:(active|passive)/);
    expect(sdp).toContain('a=rtpmap:111 opus/48000/2');
    expect(sdp).toMatch(/a=fmtp:111 .*useinbandfec=1;usedtx=1/);
    expect(sdp).toContain('a=rtpmap:110 telephone-event/48000');
    expect(sdp).not.toContain('PCMU');
    expect(sdp).toMatch(/a=ssrc:\d+ cname:/);
  }, 30_000);

  it('refuses what is no offer with the reason', async () => {
    const webrtc = node();
    await expect(webrtc.answer('hello', new Side())).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'sdp',
    });
    const offer = await webrtc.offer(new Side());
    const garbled = offer.sdp.replace(/a=fingerprint:.*/, 'a=fingerprint:sha-256 nonsense');
    await expect(webrtc.answer(garbled, new Side())).rejects.toMatchObject({ code: 'invalid_request' });
    const { a } = await call(webrtc, webrtc);
    expect(a.rate).toBe(24_000);
  }, 30_000);

  it('gives up a connection that never comes up, and bounds how many may wait', async () => {
    const offering = node({ connectWithinMs: 60_000 });
    const answering = node({ connectWithinMs: 700, mostOpening: 4 });
    const { sdp } = await offering.offer(new Side());
    const sides = Array.from({ length: 4 }, () => new Side());
    for (const side of sides) await answering.answer(sdp, side);
    await expect(answering.answer(sdp, new Side())).rejects.toMatchObject({ code: 'capacity' });
    await vi.waitFor(
      () => expect(sides.map((side) => side.end?.end)).toEqual(Array(4).fill('never_connected')),
      5_000,
    );
    expect(answering.count).toBe(0);
    await answering.answer(sdp, new Side());
  }, 30_000);

  it('tells everybody when the process dies, and starts another for the next call', async () => {
    const faults: string[] = [];
    const callee = node({ onFault: (fault) => faults.push(fault) });
    const { b } = await call(node(), callee);
    process.kill(callee.pid!, 'SIGKILL');
    await vi.waitFor(() => expect(b.end?.end).toBe('process_gone'), 5_000);
    expect(faults[0]).toContain('SIGKILL');
    const again = await call(node(), callee);
    expect(again.b.rate).toBe(24_000);
  }, 30_000);

  it('is off with the reason where the program can not run', async () => {
    const webrtc = node({ worker: '/nowhere/program.js' });
    await expect(webrtc.answer('v=0', new Side())).rejects.toMatchObject({ code: 'unavailable' });
    await vi.waitFor(() => expect(webrtc.off).toContain('/nowhere/program.js'));
    await expect(webrtc.answer('v=0', new Side())).rejects.toThrow('/nowhere/program.js');
  }, 30_000);
});

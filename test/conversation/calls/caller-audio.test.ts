import { expect, it } from 'vitest';
import { CallerAudioTap } from '../../../src/conversation/calls/caller-audio.ts';
import { createVoiceEngine, type VoiceLaneOptions } from '../../../src/conversation/calls/index.ts';
import type { CallerUtterance, LaneEvent } from '../../../src/conversation/session/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const utterance = (text: string): CallerUtterance => ({
  utterance: 1,
  text,
  startMs: 100,
  endMs: 900,
  atMs: 1_400,
  asrMs: 10,
});
const FRAME = new Uint8Array(320).fill(1);
const push = (tap: CallerAudioTap, frames: number) => {
  for (let at = 0; at < frames; at++) tap.push(FRAME);
};

function spoken(tap: CallerAudioTap, text: string): void {
  tap.take({ kind: 'speech_start', atMs: 100 });
  push(tap, 50);
  tap.take({ kind: 'final', ...utterance(text) });
}

it('keeps the last utterance from 0.8 s before its detection', () => {
  const tap = new CallerAudioTap({ rate: 8_000 });
  push(tap, 100);
  spoken(tap, 'Hello.');
  push(tap, 10);
  const audio = tap.of('Hello.');
  expect(audio?.pcm.length).toBe((800 + 1_000) * 48);
  expect(tap.of('Well. Hello.')?.text).toBe('Hello.');
});

it('has no audio for words that were typed, or are not the last', () => {
  const tap = new CallerAudioTap({ rate: 8_000 });
  expect(tap.of('Hello.')).toBeNull();
  spoken(tap, 'Hello.');
  expect(tap.of('What do you cost?')).toBeNull();
  spoken(tap, '');
  expect(tap.of('Hello.')).toBeNull();
  spoken(tap, 'Mhm.');
  tap.take({ kind: 'backchannel', ...utterance('Mhm.') });
  expect(tap.of('Mhm.')).toBeNull();
});

it('has no audio of an utterance of more than a minute', () => {
  const tap = new CallerAudioTap({ rate: 8_000 });
  tap.take({ kind: 'speech_start', atMs: 100 });
  push(tap, 3_010);
  tap.take({ kind: 'final', ...utterance('So.') });
  expect(tap.of('So.')).toBeNull();
});

it('speaks for the words so far where the end is only likely', () => {
  const tap = new CallerAudioTap({ rate: 8_000 });
  tap.take({ kind: 'speech_start', atMs: 100 });
  push(tap, 50);
  tap.take({ kind: 'eager_end', ...utterance('I need') });
  const early = tap.of('I need')!;
  tap.take({ kind: 'continued', utterance: 1 });
  push(tap, 50);
  tap.take({ kind: 'final', ...utterance('I need a table.') });
  expect(tap.of('I need')).toBeNull();
  expect(tap.of('I need a table.')!.pcm.length).toBe(2 * early.pcm.length);
});

it('counts what each brain got, for the record and the ledger', () => {
  const clock = new ManualClock();
  const tap = new CallerAudioTap({ rate: 8_000 }, clock);
  spoken(tap, 'Hello.');
  clock.advance(1_500);
  const to = { name: 'default', host: 'hear.example:443', microsPerHour: 3_600_000 };
  const use = tap.of('Hello.')!.sentTo(to);
  use.received(9);
  tap.of('Hello.')!.sentTo(to).failed();
  expect(tap.providerUse).toEqual([
    {
      kind: 'brain',
      provider: 'default',
      credential: 'operator',
      region: null,
      host: 'hear.example:443',
      requests: 2,
      characters: 9,
      soundMs: 2_000,
      failures: 1,
      failedOverAtMs: 1_500,
      costMicros: 2_000,
    },
  ]);
});

it('counts what the model’s own voice costs, piece by piece', () => {
  const tap = new CallerAudioTap({ rate: 8_000 });
  spoken(tap, 'Hello.');
  const to = { name: 'default', host: 'hear.example:443', microsPerHour: 0, microsPerSpokenHour: 60_000 };
  const use = tap.of('Hello.')!.sentTo(to);
  const cost = () => tap.providerUse[0]!.costMicros;
  for (let ms = 0; ms < 30_000; ms += 20) use.spoke(20);
  expect(cost()).toBe(500);
  for (let ms = 0; ms < 30_000; ms += 20) use.spoke(20);
  expect(cost()).toBe(1_000);
});

const TONE = 10_000;
const tone = (rate: number, hertz: number, seconds: number): Buffer => {
  const pcm = Buffer.alloc(rate * seconds * 2);
  for (let at = 0; at < rate * seconds; at++)
    pcm.writeInt16LE(Math.round(TONE * Math.sin((2 * Math.PI * hertz * at) / rate)), at * 2);
  return pcm;
};
/** The amplitude of one frequency. */
function level(pcm: Uint8Array, hertz: number): number {
  const samples = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.length);
  let [re, im] = [0, 0];
  const count = samples.length / 2 - 4_800;
  for (let at = 0; at < count; at++) {
    const sample = samples.readInt16LE((at + 2_400) * 2);
    re += sample * Math.cos((2 * Math.PI * hertz * at) / 24_000);
    im += sample * Math.sin((2 * Math.PI * hertz * at) / 24_000);
  }
  return (2 * Math.hypot(re, im)) / count;
}

it.each([
  [8_000, 1_000, 7_000],
  [8_000, 3_000, 5_000],
  [16_000, 5_000, 11_000],
] as const)(
  'raises %i Hz to 24 kHz: %i Hz stays, and its image at %i Hz does not come',
  (rate, hertz, image) => {
    const tap = new CallerAudioTap({ rate });
    const whole = tone(rate, hertz, 1);
    tap.take({ kind: 'speech_start', atMs: 100 });
    for (let at = 0; at < whole.length; at += 322) tap.push(whole.subarray(at, at + 322));
    tap.take({ kind: 'final', ...utterance('Hello.') });
    const { pcm } = tap.of('Hello.')!;
    expect(pcm.length).toBe(48_000);
    expect(Math.abs(level(pcm, hertz) - TONE)).toBeLessThan(0.05 * TONE);
    expect(level(pcm, image)).toBeLessThan(TONE / 1_000);
  },
);

it('keeps the sound of frames whose memory is used again', () => {
  const heard = (frames: (frame: Buffer) => Buffer) => {
    const tap = new CallerAudioTap({ rate: 8_000 });
    const whole = tone(8_000, 440, 1);
    tap.take({ kind: 'speech_start', atMs: 100 });
    for (let at = 0; at < whole.length; at += 320) tap.push(frames(whole.subarray(at, at + 320)));
    tap.take({ kind: 'final', ...utterance('Hello.') });
    return Buffer.from(tap.of('Hello.')!.pcm);
  };
  const reused = Buffer.alloc(320);
  const again = heard((frame) => {
    frame.copy(reused);
    return reused;
  });
  expect(again.equals(heard((frame) => frame))).toBe(true);
});

interface OpenedLane {
  readonly lane: Awaited<ReturnType<ReturnType<typeof createVoiceEngine>['openLane']>>;
  readonly events: LaneEvent[];
  readonly event: (event: LaneEvent) => void;
}

async function openedLane(keepsCallerAudio: boolean): Promise<OpenedLane> {
  const events: LaneEvent[] = [];
  let listener: { event(event: LaneEvent): void } | null = null;
  const lanes = {
    open: async (_kind: unknown, _options: unknown, listens: typeof listener) => {
      listener = listens;
      return { push: () => 'accepted', usesVoiceUnderLoad: false, drop: () => undefined };
    },
    onCapacityFreed: () => undefined,
  };
  const engine = createVoiceEngine(lanes as unknown as Parameters<typeof createVoiceEngine>[0], {
    keepsCallerAudio,
  });
  const lane = await engine.openLane({
    rate: 8_000,
    codec: 'ulaw',
    language: 'en',
    vocabulary: [],
    onEvent: (event: LaneEvent) => void events.push(event),
  } as unknown as VoiceLaneOptions);
  return { lane, events, event: (event: LaneEvent) => listener?.event(event) };
}

it('is heard on the lane of a telephone, which tells the session as before', async () => {
  const { lane, events, event } = await openedLane(true);
  event({ kind: 'speech_start', atMs: 100 });
  for (let at = 0; at < 50; at++) lane.push(new Uint8Array(160).fill(0x55));
  event({ kind: 'final', ...utterance('Hello.') });
  const audio = lane.callerAudio?.('Hello.');
  expect(audio?.pcm.length).toBe(1_000 * 48);
  // The code 0x55 of u-law is a level of 716.
  expect(Math.abs(Math.abs(Buffer.from(audio!.pcm).readInt16LE(24_000)) - 716)).toBeLessThan(8);
  audio!.sentTo({ name: 'ears', host: 'hear.example:443', microsPerHour: 0 });
  expect(lane.providerUse).toMatchObject([{ kind: 'brain', provider: 'ears', requests: 1, soundMs: 1_000 }]);
  expect(events.map(({ kind }) => kind)).toEqual(['speech_start', 'final']);
});

it('is not kept where no brain hears', async () => {
  const { lane, event } = await openedLane(false);
  event({ kind: 'speech_start', atMs: 100 });
  lane.push(new Uint8Array(160).fill(0x55));
  event({ kind: 'final', ...utterance('Hello.') });
  expect(lane.callerAudio?.('Hello.')).toBeNull();
});

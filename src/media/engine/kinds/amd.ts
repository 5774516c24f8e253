import type { LaneKind } from '../contract.ts';
import { BodyReader, EngineEventType, event, type Field, text } from '../packed-records.ts';

export interface AmdLaneOptions {
  readonly codec: 'ulaw' | 'pcm16';
  readonly language?: string;
  readonly words?: boolean;
  /** Transcription blocks the audio, so that audio faster than real time gives the same evidence in every run. */
  readonly wait?: boolean;
}

export type LaneTone = 'beep' | 'fax_cng' | 'fax_ced' | 'sit' | 'ringback' | 'busy' | 'reorder';

/** The order equals that of native/dsp/call_tones.h. */
const TONES: readonly LaneTone[] = ['beep', 'fax_cng', 'fax_ced', 'sit', 'ringback', 'busy', 'reorder'];
const ms: Field<number> = (reader) => Math.round(reader.f64() * 1000);
const tenths = (value: number): number => Math.round(value * 10) / 10;
const dbfs: Field<number> = (reader) => tenths(reader.f32());

/** The number of the language behind it is not used. */
function readStretch(reader: BodyReader): number {
  const stretch = reader.u32();
  reader.u32();
  return stretch;
}

/** The rows of native/lanes/amd/lane.h, in its order. */
const EVENTS = [
  event('speech', { atMs: ms, fromMs: ms }),
  event('quiet', { atMs: ms, fromMs: ms, levelDbfs: dbfs, floorDbfs: dbfs }),
  event('tone', {
    atMs: ms,
    fromMs: ms,
    toMs: ms,
    tone: (reader) => TONES[reader.u32()] ?? 'beep',
    hertz: (reader) => Math.round(reader.f32()),
  }),
  event('music', { atMs: ms, fromMs: ms, playing: (reader) => reader.u32() === 1 }),
  event('words', {
    atMs: ms,
    fromMs: ms,
    toMs: ms,
    stretch: readStretch,
    tookMs: (reader) => tenths(1000 * reader.f32()),
    text,
  }),
  event('fingerprint', { atMs: ms, words: (reader) => new Uint16Array(reader.bytes().slice().buffer) }),
  event('clock', { atMs: ms }),
] as const;

export type AmdEvent = ReturnType<(typeof EVENTS)[number]>;

export const amdLane: LaneKind<AmdLaneOptions, AmdEvent> = {
  name: 'amd',
  flatten: ({ codec, language, words = true, wait = false }) => ({
    codec,
    words,
    wait,
    ...(language ? { language } : {}),
  }),
  decode(type, _flags, body) {
    const decode = EVENTS[type - EngineEventType.firstOfKind];
    if (decode === undefined) throw new RangeError(`expected an event of an amd lane, received type ${type}`);
    return decode(new BodyReader(body));
  },
};

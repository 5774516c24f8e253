import type { LaneKind } from '../contract.ts';
import { BodyReader, EngineEventType } from '../packed-records.ts';

export interface AmdLaneOptions {
  readonly codec: 'ulaw' | 'pcm16';
  readonly language?: string;
  readonly words?: boolean;
  /** Transcription blocks the audio, so that audio faster than real time gives the same evidence in every run. */
  readonly wait?: boolean;
}

export type LaneTone = 'beep' | 'fax_cng' | 'fax_ced' | 'sit' | 'ringback' | 'busy' | 'reorder';

export type AmdEvent = { readonly atMs: number } & (
  | { readonly kind: 'speech'; readonly fromMs: number }
  | {
      readonly kind: 'quiet';
      readonly fromMs: number;
      readonly levelDbfs: number;
      readonly floorDbfs: number;
    }
  | {
      readonly kind: 'tone';
      readonly fromMs: number;
      readonly toMs: number;
      readonly tone: LaneTone;
      readonly hertz: number;
    }
  | { readonly kind: 'music'; readonly fromMs: number; readonly playing: boolean }
  | {
      readonly kind: 'words';
      readonly fromMs: number;
      readonly toMs: number;
      readonly stretch: number;
      readonly text: string;
      readonly tookMs: number;
    }
  | { readonly kind: 'fingerprint'; readonly words: Uint16Array }
  | { readonly kind: 'clock' }
);

/** The order equals that of native/dsp/call_tones.h. */
const TONES: readonly LaneTone[] = ['beep', 'fax_cng', 'fax_ced', 'sit', 'ringback', 'busy', 'reorder'];
/** The order equals that of native/lanes/amd/lane.h. */
const KINDS = ['speech', 'quiet', 'tone', 'music', 'words', 'fingerprint', 'clock'] as const;

const ms = (reader: BodyReader): number => Math.round(reader.f64() * 1000);
const tenths = (value: number): number => Math.round(value * 10) / 10;

export const amdLane: LaneKind<AmdLaneOptions, AmdEvent> = {
  name: 'amd',
  flatten: ({ codec, language, words = true, wait = false }) => ({
    codec,
    words,
    wait,
    ...(language ? { language } : {}),
  }),
  decode(type, _flags, body) {
    const kind = KINDS[type - EngineEventType.firstOfKind];
    if (kind === undefined) throw new RangeError(`expected an event of an amd lane, received type ${type}`);
    const reader = new BodyReader(body);
    const atMs = ms(reader);
    switch (kind) {
      case 'clock':
        return { kind, atMs };
      case 'fingerprint':
        return { kind, atMs, words: new Uint16Array(body.slice(8).buffer) };
      case 'speech':
        return { kind, atMs, fromMs: ms(reader) };
      case 'quiet':
        return {
          kind,
          atMs,
          fromMs: ms(reader),
          levelDbfs: tenths(reader.f32()),
          floorDbfs: tenths(reader.f32()),
        };
      case 'music':
        return { kind, atMs, fromMs: ms(reader), playing: reader.u32() === 1 };
      case 'tone':
        return {
          kind,
          atMs,
          fromMs: ms(reader),
          toMs: ms(reader),
          tone: TONES[reader.u32()] ?? 'beep',
          hertz: Math.round(reader.f32()),
        };
      case 'words': {
        const [fromMs, toMs, stretch] = [ms(reader), ms(reader), reader.u32()];
        reader.u32();
        const tookMs = tenths(1000 * reader.f32());
        return { kind, atMs, fromMs, toMs, stretch, tookMs, text: reader.text() };
      }
    }
  },
};

import type { LaneKind } from '../contract.ts';
import {
  flattenRecognition,
  HEAR_LANGUAGES,
  type HearLanguage,
  type VocabularyTerm,
} from '../hear-options.ts';
import { integer, outOfRange } from '../options.ts';
import { BodyReader, character, EngineEventType, event, f64, flag, text, u32 } from '../packed-records.ts';
import { type EngineVoice, flattenVoice } from './synthesize.ts';

export const OMNI_LANE_RATES = [8000, 16000, 24000] as const;
export type OmniLaneRate = (typeof OMNI_LANE_RATES)[number];

export type BargeSensitivity = 'high' | 'normal' | 'low' | number;

const NAMES = ['high', 'normal', 'low'] as const;
const MIN_BARGE_DBFS = -90;

export function readBargeSensitivity(value: string | number): BargeSensitivity {
  const named = NAMES.find((name) => name === value);
  if (named !== undefined) return named;
  const dbfs = typeof value === 'number' ? value : value.trim() === '' ? Number.NaN : Number(value);
  if (dbfs >= MIN_BARGE_DBFS && dbfs < 0) return dbfs;
  return outOfRange('barge_sensitivity', `high, normal, low or ${MIN_BARGE_DBFS} to 0 dBFS`, value);
}

export interface OmniLaneOptions {
  readonly rate: OmniLaneRate;
  /** The codec on the wire in both directions; `ulaw` needs 8 kHz. The default is PCM16. */
  readonly codec?: 'pcm16' | 'ulaw';
  readonly language: HearLanguage;
  readonly languages?: readonly HearLanguage[];
  readonly voice: EngineVoice;
  readonly voiceUnderLoad?: EngineVoice;
  readonly endpointingMs: number;
  readonly barge: BargeSensitivity;
  /** Speech of others than the caller neither interrupts nor enters the transcript. */
  readonly locksSpeaker?: boolean;
  /** The recording has the caller's side without the noise of the line. */
  readonly denoisesRecording?: boolean;
  readonly vocabulary?: readonly VocabularyTerm[];
  readonly seed?: number;
  /** The folder of an added recognizer that is open. It writes the finals. */
  readonly recognizer?: string;
  /** The folder of an added quick recognizer that is open. It makes the partials of English. */
  readonly quick?: string;
  /**
   * The owner partitions the speech cache, which holds speech from its second use on; nothing is cached when absent.
   */
  readonly owner?: string;
  /** Detects keys in the caller's audio too; otherwise only keys that the line signals count. */
  readonly keys?: boolean;
  /** The lane records the call to this new file once `record` requests it. */
  readonly recording?: string;
  readonly fed?: boolean;
}

export interface OmniLanguage {
  readonly language: HearLanguage;
  readonly odds: number;
  readonly spokenMs: number;
}

export interface OmniUtterance {
  readonly utterance: number;
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly atMs: number;
  readonly asrMs: number;
  readonly identified?: OmniLanguage;
}

export interface OmniSegment {
  readonly segment: number;
  readonly complete: boolean;
  readonly playedMs: number;
  readonly totalMs: number;
}

/** The numbers equal those of native/lanes/omni/lane.h. */
export const OmniVerb = {
  speak: 1,
  finish: 2,
  release: 3,
  discard: 4,
  interrupt: 5,
  voice: 6,
  language: 7,
  record: 8,
  pauseRecording: 9,
  terms: 10,
  lag: 11,
  sound: 12,
  soundEnd: 13,
} as const;

const utterance =
  <const K extends string>(kind: K) =>
  (reader: BodyReader): { readonly kind: K } & OmniUtterance => ({ kind, ...readUtterance(reader) });

/** The rows of native/lanes/omni/lane.h, in its order. */
const EVENTS = [
  event('speech_start', { atMs: f64 }),
  event('partial', { utterance: u32, text }),
  utterance('eager_end'),
  event('continued', { utterance: u32 }),
  utterance('final'),
  utterance('backchannel'),
  event('playing', { speech: u32, segment: u32, atMs: f64 }),
  event('speech_played', { speech: u32, segments: (reader) => readSegments(reader, reader.u32()) }),
  event('speech_interrupted', { speech: u32, reason, playedMs: f64, segments: readAlignedSegments }),
  event('speech_failed', { speech: u32, message: text }),
  event('duck', { down: flag, atMs: f64 }),
  readLost,
  // `began` is true where the recording's first sample is that of `atMs`, and false where the recording has failed.
  event('recording', { began: flag, atMs: f64, message: text }),
  event('key', { key: character, atMs: f64 }),
  // Music on the caller's line began or ended. The event comes some seconds after `atMs`.
  event('music', { playing: flag, atMs: f64 }),
  // `wantedMs` of a fed segment's audio, counted from its beginning, may be sent by now.
  event('feed', { speech: u32, segment: u32, wantedMs: f64 }),
  // Another than the caller spoke, and the words are in no text.
  event('left_out', { utterance: u32, words: u32, startMs: f64, endMs: f64 }),
] as const;

export type OmniEvent = ReturnType<(typeof EVENTS)[number]>;

export const omniLane: LaneKind<OmniLaneOptions, OmniEvent> = {
  name: 'omni',
  flatten(options) {
    if (!OMNI_LANE_RATES.includes(options.rate)) {
      outOfRange('rate', OMNI_LANE_RATES.join(', '), options.rate);
    }
    const { codec = 'pcm16', keys, locksSpeaker, denoisesRecording, fed, recording, owner } = options;
    if (codec === 'ulaw' && options.rate !== 8000) outOfRange('rate', '8000 for ulaw', options.rate);
    return {
      ...flattenVoice(options.voice),
      ...flattenRecognition(options),
      rate: options.rate,
      codec,
      endpointing_ms: integer('endpointingMs', options.endpointingMs, 100, 3000),
      partials: true,
      keys,
      primary_speaker: locksSpeaker,
      denoise_recording: denoisesRecording,
      fed,
      recording,
      owner,
      ...bargeOptions(readBargeSensitivity(options.barge)),
    };
  },
  lighter: ({ voiceUnderLoad, ...options }) =>
    voiceUnderLoad === undefined ? null : { ...options, voice: voiceUnderLoad },
  decode(type, _flags, body) {
    const decode = EVENTS[type - EngineEventType.firstOfKind];
    if (decode === undefined)
      throw new RangeError(`expected an event of an omni lane, received type ${type}`);
    return decode(new BodyReader(body));
  },
};

const bargeOptions = (barge: BargeSensitivity) =>
  typeof barge === 'number' ? { barge_dbfs: barge } : { barge };

function readUtterance(reader: BodyReader): OmniUtterance {
  const utterance = reader.u32();
  const language = HEAR_LANGUAGES[reader.u32()];
  const [startMs, endMs, atMs, asrMs] = [reader.f64(), reader.f64(), reader.f64(), reader.f64()];
  const [odds, spokenMs] = [reader.f64(), reader.f64()];
  const identified = language === undefined ? {} : { identified: { language, odds, spokenMs } };
  return { utterance, startMs, endMs, atMs, asrMs, ...identified, text: reader.text() };
}

function readSegments(reader: BodyReader, count: number): OmniSegment[] {
  return Array.from({ length: count }, () => ({
    segment: reader.u32(),
    complete: reader.u32() === 1,
    playedMs: reader.f64(),
    totalMs: reader.f64(),
  }));
}

function readAlignedSegments(reader: BodyReader): OmniSegment[] {
  const count = reader.u32();
  reader.u32();
  return readSegments(reader, count);
}

function reason(reader: BodyReader): 'barge_in' | 'command' {
  return reader.u32() === 0 ? 'barge_in' : 'command';
}

function readLost(reader: BodyReader) {
  const { utterance, text } = readUtterance(reader);
  return { kind: 'lost', utterance, message: text } as const;
}

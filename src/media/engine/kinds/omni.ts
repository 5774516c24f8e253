import type { LaneKind } from '../contract.ts';
import {
  flattenRecognition,
  HEAR_LANGUAGES,
  type HearLanguage,
  type VocabularyTerm,
} from '../hear-options.ts';
import { integer, outOfRange } from '../options.ts';
import { BodyReader, EngineEventType } from '../packed-records.ts';
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
  readonly vocabulary?: readonly VocabularyTerm[];
  readonly seed?: number;
  /** The folder of an added recognizer that is open. It writes the finals. */
  readonly recognizer?: string;
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

export type OmniEvent =
  | { readonly kind: 'speech_start'; readonly atMs: number }
  | { readonly kind: 'partial'; readonly utterance: number; readonly text: string }
  | ({ readonly kind: 'eager_end' | 'final' | 'backchannel' } & OmniUtterance)
  | { readonly kind: 'continued'; readonly utterance: number }
  | { readonly kind: 'lost'; readonly utterance: number; readonly message: string }
  | { readonly kind: 'playing'; readonly speech: number; readonly segment: number; readonly atMs: number }
  | { readonly kind: 'speech_played'; readonly speech: number; readonly segments: readonly OmniSegment[] }
  | {
      readonly kind: 'speech_interrupted';
      readonly speech: number;
      readonly reason: 'barge_in' | 'command';
      readonly playedMs: number;
      readonly segments: readonly OmniSegment[];
    }
  | { readonly kind: 'speech_failed'; readonly speech: number; readonly message: string }
  /** Another than the caller spoke, and the words are in no text. */
  | {
      readonly kind: 'left_out';
      readonly utterance: number;
      readonly words: number;
      readonly startMs: number;
      readonly endMs: number;
    }
  | { readonly kind: 'duck'; readonly down: boolean; readonly atMs: number }
  /** Music on the caller's line began or ended. The event comes some seconds after `atMs`. */
  | { readonly kind: 'music'; readonly playing: boolean; readonly atMs: number }
  | { readonly kind: 'key'; readonly key: string; readonly atMs: number }
  /** `wantedMs` of a fed segment's audio, counted from its beginning, may be sent by now. */
  | { readonly kind: 'feed'; readonly speech: number; readonly segment: number; readonly wantedMs: number }
  /**
   * `began` is true where the recording's first sample is that of `atMs`, and false where the recording has failed.
   */
  | { readonly kind: 'recording'; readonly began: boolean; readonly atMs: number; readonly message: string };

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

const DECODERS: readonly ((reader: BodyReader) => OmniEvent)[] = [
  (reader) => ({ kind: 'speech_start', atMs: reader.f64() }),
  (reader) => ({ kind: 'partial', utterance: reader.u32(), text: reader.text() }),
  (reader) => ({ kind: 'eager_end', ...readUtterance(reader) }),
  (reader) => ({ kind: 'continued', utterance: reader.u32() }),
  (reader) => ({ kind: 'final', ...readUtterance(reader) }),
  (reader) => ({ kind: 'backchannel', ...readUtterance(reader) }),
  (reader) => ({ kind: 'playing', speech: reader.u32(), segment: reader.u32(), atMs: reader.f64() }),
  (reader) => ({ kind: 'speech_played', speech: reader.u32(), segments: readSegments(reader, reader.u32()) }),
  readInterrupted,
  (reader) => ({ kind: 'speech_failed', speech: reader.u32(), message: reader.text() }),
  readDuck,
  readLost,
  readRecording,
  readKey,
  readMusic,
  (reader) => ({ kind: 'feed', speech: reader.u32(), segment: reader.u32(), wantedMs: reader.f64() }),
  (reader) => ({
    kind: 'left_out',
    utterance: reader.u32(),
    words: reader.u32(),
    startMs: reader.f64(),
    endMs: reader.f64(),
  }),
];

export const omniLane: LaneKind<OmniLaneOptions, OmniEvent> = {
  name: 'omni',
  flatten(options) {
    if (!OMNI_LANE_RATES.includes(options.rate)) {
      outOfRange('rate', OMNI_LANE_RATES.join(', '), options.rate);
    }
    const {
      vocabulary,
      seed,
      language,
      languages,
      recognizer,
      barge,
      recording,
      owner,
      fed = false,
      keys = false,
      locksSpeaker = false,
      codec = 'pcm16',
    } = options;
    if (codec === 'ulaw' && options.rate !== 8000) outOfRange('rate', '8000 for ulaw', options.rate);
    return {
      ...flattenVoice(options.voice),
      ...flattenRecognition({
        language,
        ...(languages === undefined ? {} : { languages }),
        ...(vocabulary === undefined ? {} : { vocabulary }),
        ...(seed === undefined ? {} : { seed }),
        ...(recognizer === undefined ? {} : { recognizer }),
      }),
      rate: options.rate,
      codec,
      endpointing_ms: integer('endpointingMs', options.endpointingMs, 100, 3000),
      partials: true,
      ...(keys ? { keys } : {}),
      ...(locksSpeaker ? { primary_speaker: true } : {}),
      ...(fed ? { fed } : {}),
      ...(recording === undefined ? {} : { recording }),
      ...(owner === undefined ? {} : { owner }),
      ...bargeOptions(readBargeSensitivity(barge)),
    };
  },
  lighter: ({ voiceUnderLoad, ...options }) =>
    voiceUnderLoad === undefined ? null : { ...options, voice: voiceUnderLoad },
  decode(type, _flags, body) {
    const decode = DECODERS[type - EngineEventType.firstOfKind];
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

const readSegments = (reader: BodyReader, count: number): OmniSegment[] =>
  Array.from({ length: count }, () => ({
    segment: reader.u32(),
    complete: reader.u32() === 1,
    playedMs: reader.f64(),
    totalMs: reader.f64(),
  }));

function readInterrupted(reader: BodyReader): OmniEvent {
  const speech = reader.u32();
  const reason = reader.u32() === 0 ? 'barge_in' : 'command';
  const playedMs = reader.f64();
  const count = reader.u32();
  reader.u32();
  return { kind: 'speech_interrupted', speech, reason, playedMs, segments: readSegments(reader, count) };
}

function readLost(reader: BodyReader): OmniEvent {
  const { utterance, text } = readUtterance(reader);
  return { kind: 'lost', utterance, message: text };
}

function readDuck(reader: BodyReader): OmniEvent {
  const down = reader.u32() === 1;
  reader.u32();
  return { kind: 'duck', down, atMs: reader.f64() };
}

function readKey(reader: BodyReader): OmniEvent {
  const key = String.fromCharCode(reader.u32());
  reader.u32();
  return { kind: 'key', key, atMs: reader.f64() };
}

function readMusic(reader: BodyReader): OmniEvent {
  const playing = reader.u32() === 1;
  reader.u32();
  return { kind: 'music', playing, atMs: reader.f64() };
}

function readRecording(reader: BodyReader): OmniEvent {
  const began = reader.u32() === 1;
  reader.u32();
  return { kind: 'recording', began, atMs: reader.f64(), message: reader.text() };
}

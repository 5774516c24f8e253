import type { LaneKind } from '../contract.ts';
import { flattenRecognition, type RecognitionOptions } from '../hear-options.ts';
import { integer, outOfRange } from '../options.ts';
import { BodyReader, EngineEventType } from '../packed-records.ts';
import { type StatusName, statusName } from '../status.ts';
import { type EngineTranscript, milliseconds, readTranscript } from '../transcript.ts';

export const HEAR_RATES = [8000, 16000, 24000, 44100, 48000] as const;
export type HearRate = (typeof HEAR_RATES)[number];
/** The lane accepts more rates than the specified stream, because clients of other vendors send them. */
export const HEAR_LANE_RATES = [...HEAR_RATES, 11_025, 12_000, 22_050, 32_000] as const;
export type HearLaneRate = (typeof HEAR_LANE_RATES)[number];

export interface HearLaneOptions extends RecognitionOptions {
  readonly rate: HearLaneRate;
  readonly endpointingMs: number;
  readonly partials?: boolean;
  /** The lane reports stable words while somebody speaks on. The final begins with them. */
  readonly stablePartials?: boolean;
}

export type EndpointReason = 'silence' | 'commit' | 'max_utterance' | 'close';

interface Utterance {
  readonly utterance: number;
  readonly start: number;
  readonly end: number;
}

export type HearEvent =
  | ({ readonly type: 'partial'; readonly text: string } & Utterance)
  | ({ readonly type: 'stable'; readonly text: string } & Utterance)
  | ({ readonly type: 'speech_final'; readonly text: string; readonly reason: EndpointReason } & Utterance)
  | ({ readonly type: 'final'; readonly reason: EndpointReason } & Utterance & EngineTranscript)
  | { readonly type: 'failed'; readonly status: StatusName };

export const HEAR_COMMIT = 1;

const REASONS: readonly EndpointReason[] = ['silence', 'commit', 'max_utterance', 'close'];
const TYPES = ['partial', 'stable', 'speech_final', 'final', 'failed'] as const;

export const hearLane: LaneKind<HearLaneOptions, HearEvent> = {
  name: 'hear',
  flatten(options) {
    if (!HEAR_LANE_RATES.includes(options.rate)) outOfRange('rate', HEAR_LANE_RATES.join(', '), options.rate);
    return {
      ...flattenRecognition(options),
      rate: options.rate,
      endpointing_ms: integer('endpointingMs', options.endpointingMs, 100, 3000),
      partials: options.partials ?? true,
      stable_partials: options.stablePartials ?? true,
    };
  },
  decode(type, _flags, body) {
    const name = TYPES[type - EngineEventType.firstOfKind];
    if (name === undefined) throw new RangeError(`expected an event of a hear lane, received type ${type}`);
    const reader = new BodyReader(body);
    if (name === 'failed') return { type: name, status: statusName(reader.i32()) };
    const utterance = reader.u32();
    const reason = REASONS[reader.u32()] ?? 'silence';
    const span = { utterance, start: milliseconds(reader.f64()), end: milliseconds(reader.f64()) };
    if (name === 'final') return { type: name, reason, ...span, ...readTranscript(reader) };
    if (name === 'speech_final') return { type: name, reason, ...span, text: reader.text() };
    return { type: name, ...span, text: reader.text() };
  },
};

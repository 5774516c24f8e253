import type { FlatOptions } from './packed-records.ts';
import type { StatusName } from './status.ts';

export interface LaneKind<Options, Event> {
  readonly name: string;
  /** Checks and flattens the options. Throws ApiError or RangeError for values out of range. */
  flatten(options: Options): FlatOptions;
  lighter?(options: Options): Options | null;
  /** Decodes a record of this kind. `body` is valid only during the call, so copy what must outlive it. */
  decode(type: number, flags: number, body: Uint8Array): Event;
}

export interface LaneListener<Event> {
  /** Receives audio for the wire. `bytes` is valid only during the call. */
  audio?(bytes: Uint8Array, flags: number): void;
  event?(event: Event): void;
  /** The last call, exactly once; the status is `ok` after a clean close. */
  closed(status: StatusName): void;
}

export interface JobKind<Options> {
  readonly name: string;
  flatten(options: Options): FlatOptions;
}

export type PushResult =
  | 'accepted'
  /** The lane accepted nothing: the audio arrives faster than real time, or the engine is late. */
  | 'full'
  | 'closed'
  | 'too_large';

export type CarrierResult =
  | PushResult
  /** The message is well-formed but has no caller audio: another event, for JSON.parse. */
  | 'not_media'
  | 'bad_message';

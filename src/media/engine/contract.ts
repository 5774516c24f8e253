/** The engine's public types: kinds, lanes, jobs and their listeners. */
import type { FlatOptions } from './packed-records.ts';
import type { StatusName } from './status.ts';

/** A kind of lane, as its file in src/media/engine/kinds describes it. */
export interface LaneKind<Options, Event> {
  readonly name: string;
  /** Checks the options and flattens them; throws ApiError or RangeError for what is out of range. */
  flatten(options: Options): FlatOptions;
  /** The cheaper options of a lane under load; null when there are none. */
  lighter?(options: Options): Options | null;
  /** A record of this kind's own types. `body` is valid only during the call: copy what must outlive it. */
  decode(type: number, flags: number, body: Uint8Array): Event;
}

export interface LaneListener<Event> {
  /** Audio for the wire. `bytes` is valid only during the call. */
  audio?(bytes: Uint8Array, flags: number): void;
  event?(event: Event): void;
  /** Called once, last. `ok` after a clean close. */
  closed(status: StatusName): void;
}

/** A kind of offline work. */
export interface JobKind<Options> {
  readonly name: string;
  flatten(options: Options): FlatOptions;
}

export type PushResult =
  | 'accepted'
  /** The lane takes no more now: it is given faster than real time, or the engine is late. Nothing was taken. */
  | 'full'
  /** The lane has ended or is closing; `closed` tells or told why. */
  | 'closed'
  /** Larger than the lane could ever take. */
  | 'too_large';

/** As PushResult, of a carrier's JSON message. */
export type CarrierResult =
  | PushResult
  /** Well formed, but no audio of the caller: another event, for JSON.parse. */
  | 'not_media'
  /** It does not parse, or its payload is not base64. */
  | 'bad_message';

/** The interface of every carrier. `src/edge/surfaces`, `src/main` and the dialling module use nothing else. */

export const CARRIER_NAMES = ['loopback', 'twilio', 'sip', 'msgapp'] as const;
export type CarrierName = (typeof CARRIER_NAMES)[number];

export interface Carrier {
  readonly name: CarrierName;
  /** The field is null when the carrier does not manage its numbers. */
  readonly numbers: CarrierNumbers | null;
  /**
   * Dials. The listener gets all events from then on, possibly before the promise settles. Rejects with CarrierError
   * where nothing was dialed. A call that fails as `unclear` may have been dialed, so it is never dialed again.
   */
  place(order: CallOrder, listener: LegListener): Promise<CarrierCall>;
  /** Tells whether `to` is a registered telephone of the tenant. The method is absent where none can register. */
  hasTelephone?(tenant: CallTenant, to: string): Promise<boolean>;
  /** The handler is asked once per incoming call. It is set before `start`. */
  incoming(taker: IncomingCallHandler): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface CarrierNumbers {
  search(query: NumberQuery): Promise<readonly OfferedNumber[]>;
  /** Buys or claims the number. The same `key` buys it once, so that a retry is harmless. */
  provision(phoneNumber: string, key: string): Promise<ProvisionedNumber>;
  /** Takes over a number that was ported to the carrier. Rejects while the carrier does not have it. */
  adopt(number: OfferedNumber): Promise<ProvisionedNumber>;
  route(number: ProvisionedNumber, on: boolean): Promise<void>;
  release(number: ProvisionedNumber): Promise<void>;
}

export type NumberType = 'local' | 'mobile' | 'toll_free';
export type Capability = 'voice' | 'sms';

export interface NumberQuery {
  /** ISO 3166, two letters. */
  readonly country: string;
  readonly numberType: NumberType | null;
  readonly capabilities: readonly Capability[];
  /** Digits, with `*` for any one digit. The pattern matches anywhere in the number. */
  readonly pattern: string | null;
  readonly limit: number;
}

export interface OfferedNumber {
  readonly phoneNumber: string;
  readonly country: string;
  readonly numberType: NumberType;
  readonly capabilities: readonly Capability[];
}

export interface ProvisionedNumber extends OfferedNumber {
  readonly reference: string;
}

/** The tenant whose call it is. */
export interface CallTenant {
  readonly org: string;
  readonly project: string;
  readonly environment: 'live' | 'sandbox';
}

export interface CallOrder {
  /**
   * The id that this server gave to the call (`tcl_…`). A carrier that is able to carries it along, so that callbacks
   * find the call.
   */
  readonly id: string;
  /** E.164, or a SIP address where the carrier takes one. */
  readonly from: string;
  readonly to: string;
  readonly ringMs: number;
  /** A carrier with telephones of tenants rings those of this tenant alone. */
  readonly tenant?: CallTenant;
}

export type LegEnd =
  | { readonly reason: 'completed'; readonly by: 'us' | 'them' }
  | { readonly reason: 'busy' | 'no_answer' | 'rejected' | 'canceled' }
  /** `detail` goes to the log and the record; it has no secrets. */
  | { readonly reason: 'failed'; readonly detail: string };

/** The state only moves forward, and `ended` is the last event, sent once. */
export type LegState =
  | { readonly kind: 'dialing' }
  | { readonly kind: 'ringing'; readonly early: MediaLeg | null }
  | { readonly kind: 'answered'; readonly media: MediaLeg }
  /**
   * The carrier has connected the other side elsewhere, and carries both on this account: no more audio arrives here,
   * `hangUp` ends the call, and `ended` follows when they are done.
   */
  | { readonly kind: 'transferred' }
  | { readonly kind: 'ended'; readonly end: LegEnd };

export interface LegListener {
  state(state: LegState): void;
  /** The key is one of 0-9, A-D, * and #. The listener gets each press once, however the wire repeats it. */
  key(digit: string): void;
  held?(on: boolean): void;
}

/** `unknown` means that no tenant here has the called number. */
export type RejectReason = 'busy' | 'rejected' | 'unknown';

/** One leg at a carrier. No event follows `ended`, and no method throws because the call is over. */
export interface CarrierCall {
  readonly reference: string;
  readonly state: LegState;
  answer(): Promise<void>;
  reject(reason: RejectReason): Promise<void>;
  hangUp(): Promise<void>;
  /** Sends digits, with a `w` for a pause of half a second. */
  sendKeys(digits: string): Promise<void>;
  hold(on: boolean): Promise<void>;
  /**
   * A false value refuses `transfer`, because this server could neither meter nor limit a call that the carrier goes
   * on with.
   */
  readonly canTransfer?: boolean;
  /**
   * Has the carrier connect the other side with `to` (cold transfer). Resolves when the carrier has agreed. `ended`
   * follows where it releases this server; `transferred` follows where it goes on carrying the call, which it ends by
   * itself after `limitMs`.
   */
  transfer(to: string, limitMs: number): Promise<void>;
  /**
   * Has the carrier connect the other side with that of another answered call, and release this server from both.
   * Resolves when that is done; `ended` follows, of the other call perhaps earlier. Rejects where the carrier does
   * not do it, and both calls go on. The method is absent where the carrier never can.
   */
  connect?(other: CarrierCall): Promise<void>;
}

export interface IncomingCall extends CarrierCall {
  readonly from: string;
  readonly to: string;
}

/**
 * Takes an incoming call, which rings until `answer` or `reject`. Returns null where no tenant here has the number,
 * and the carrier then rejects the call.
 */
export type IncomingCallHandler = (call: IncomingCall) => LegListener | null;

export class CarrierError extends Error {
  readonly kind: 'refused' | 'unreachable' | 'unclear' | 'unavailable_number';

  constructor(kind: CarrierError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CarrierError';
    this.kind = kind;
  }
}

/**
 * The audio of one answered leg, both ways.
 * The sender paces the audio, and no later stage does. The engine's lane sends whole frames of 20 ms on the media
 * clock, at most 200 ms ahead. A leg over WebSocket passes them on as they come. A leg whose wire needs one packet
 * every 20 ms (RTP) buffers at most 200 ms, sends on its own media clock, and drops the oldest audio beyond that.
 * Received audio is passed on as it arrives, in order. Gaps are not filled by time: a leg over RTP conceals losses,
 * the others do not.
 */
export interface MediaLeg {
  readonly format: MediaFormat;
  /** Binds the sink of received audio, after up to 2 s of queued audio. A second sink replaces the first. */
  bind(sink: MediaSink): void;
  /** The frames are whole and in `format`. They are copied during the call. */
  send(frames: Uint8Array): void;
  /** Drops audio that is not yet played; the pending marks come back at once. */
  clear(): void;
  /** `marked` follows once all audio before the mark has been played. */
  mark(name: string): void;
  stats(): MediaStats;
  /**
   * A leg whose RTP the engine carries has this method. Audio then flows between it and the lane inside the engine,
   * and `send` and `MediaSink.audio` are unused.
   */
  join?(lane: { readonly slot: number; readonly generation: number } | null): void;
}

export interface MediaFormat {
  readonly codec: 'ulaw' | 'pcm16';
  readonly rate: 8000 | 16000;
}

export interface MediaSink {
  /** The frames are valid only during the call. */
  audio(frames: Uint8Array): void;
  marked?(name: string): void;
}

/** The statistics of one direction are null when the carrier does not report them. */
export interface DirectionStats {
  readonly frames: number;
  readonly lost: number | null;
  readonly late: number | null;
  readonly concealed: number | null;
  readonly jitterMs: number | null;
  /** The share of samples at full scale, 0 to 1; null without audio. */
  readonly clipped: number | null;
}

export interface LineEcho {
  readonly delayMs: number;
  /** The level relative to the sent audio; below 0 is quieter. */
  readonly db: number;
}

export interface MediaStats {
  readonly received: DirectionStats;
  readonly sent: DirectionStats;
  /** Mean opinion score, 1 to 4.5, as estimated from loss and jitter. */
  readonly mos: number | null;
  /** The field is null when no echo was found, and absent when the leg does not measure it. */
  readonly echo?: LineEcho | null;
}

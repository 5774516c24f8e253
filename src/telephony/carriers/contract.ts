/** The interface of every carrier. `src/edge/surfaces`, `src/main` and the dialling module use nothing else. */

export const CARRIER_NAMES = ['loopback', 'twilio', 'sip', 'msgapp'] as const;
export type CarrierName = (typeof CARRIER_NAMES)[number];

/** One network that calls come from and go to. It knows no tenant, no price and no agent. */
export interface Carrier {
  readonly name: CarrierName;
  /** The field is null when numbers are managed elsewhere. */
  readonly numbers: CarrierNumbers | null;
  /** Dials. The listener hears of everything from then on, and may be told before the promise is settled. Rejects with CarrierFault
   * where nothing was dialed; `unclear` where it is not known whether anything was: such a call is never dialed again. */
  place(order: CallOrder, listener: LegListener): Promise<CarrierCall>;
  /** Who takes calls that come in: asked once a call. Set before `start`. */
  incoming(taker: IncomingCallHandler): void;
  start(): Promise<void>;
  /** Hangs up what is left. */
  stop(): Promise<void>;
}

// Numbers.

export interface CarrierNumbers {
  search(query: NumberQuery): Promise<readonly OfferedNumber[]>;
  /** Buys or claims the number. `key` makes a repetition harmless. */
  provision(phoneNumber: string, key: string): Promise<ProvisionedNumber>;
  /** A number that was moved to the carrier. Rejects while the carrier does not have it. */
  adopt(number: OfferedNumber): Promise<ProvisionedNumber>;
  /** Calls to the number come to this server from now on (null: no more). */
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
  /** Digits and `*` for any one digit, found anywhere in the number. */
  readonly pattern: string | null;
  readonly limit: number;
}

export interface OfferedNumber {
  /** E.164 */
  readonly phoneNumber: string;
  readonly country: string;
  readonly numberType: NumberType;
  readonly capabilities: readonly Capability[];
}

export interface ProvisionedNumber extends OfferedNumber {
  /** The carrier's own id of it. */
  readonly reference: string;
}

// Calls.

export interface CallOrder {
  /** Ours (`tcl_…`): carriers that can, carry it along, so that callbacks find the call again. */
  readonly id: string;
  /** E.164, or a SIP address where the carrier takes one. */
  readonly from: string;
  readonly to: string;
  /** Ringing ends with `no_answer` after so long. */
  readonly ringMs: number;
}

export type LegEnd =
  /** Either side hung up after the answer. `by`: who. */
  | { readonly reason: 'completed'; readonly by: 'us' | 'them' }
  | { readonly reason: 'busy' | 'no_answer' | 'rejected' | 'canceled' }
  /** `detail`: for the log and the record, without secrets. */
  | { readonly reason: 'failed'; readonly detail: string };

/** One tagged state; it only goes forward, and `ended` is told once, last. */
export type LegState =
  | { readonly kind: 'dialing' }
  /** `early`: sound before the answer, where the carrier brings it. */
  | { readonly kind: 'ringing'; readonly early: MediaLeg | null }
  | { readonly kind: 'answered'; readonly media: MediaLeg }
  /** The other side talks with somebody else, and the carrier carries both on this account: no sound comes here any more,
   * `hangUp` ends it, and `ended` is told when they are done. */
  | { readonly kind: 'transferred' }
  | { readonly kind: 'ended'; readonly end: LegEnd };

export interface LegListener {
  state(state: LegState): void;
  /** A key that the other side pressed: one of 0-9, A-D, * and #. Each is told once, however the wire repeats it. */
  key(digit: string): void;
  /** The other side was put on hold, or came back. */
  held?(on: boolean): void;
}

/** `unknown`: nobody here has the number that was called. */
export type RejectReason = 'busy' | 'rejected' | 'unknown';

/** One leg at a carrier. What comes after `ended` is nothing; nothing here throws because the call is over. */
export interface CarrierCall {
  /** The carrier's own id. */
  readonly reference: string;
  readonly state: LegState;
  /** Answers an incoming call that rings. */
  answer(): Promise<void>;
  /** Rejects an incoming call that rings. */
  reject(reason: RejectReason): Promise<void>;
  hangUp(): Promise<void>;
  /** Digits for the other side, with a `w` for half a second's wait. */
  sendKeys(digits: string): Promise<void>;
  hold(on: boolean): Promise<void>;
  /** `transfer` is refused where this is false, because nothing would meter or bound the call that the carrier goes on carrying. */
  readonly canTransfer?: boolean;
  /** The carrier connects the other side with `to` (cold transfer). Resolves when it has agreed: `ended` follows where it lets us go,
   * `transferred` where it goes on carrying the call, which it ends by itself after `limitMs`. */
  transfer(to: string, limitMs: number): Promise<void>;
  /** The carrier connects the other side with that of another answered call, and lets us go of both. Resolves when it has done so:
   * `ended` follows, of the other call perhaps before. Absent: it never can; rejects
   * where it does not, and both calls go on. */
  connect?(other: CarrierCall): Promise<void>;
}

export interface IncomingCall extends CarrierCall {
  readonly from: string;
  readonly to: string;
}

/** Takes an incoming call: it rings until `answer` or `reject`. Null: nobody here has the number, and the carrier says so. */
export type IncomingCallHandler = (call: IncomingCall) => LegListener | null;

export class CarrierError extends Error {
  readonly kind: 'refused' | 'unreachable' | 'unclear' | 'unavailable_number';

  constructor(kind: CarrierError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CarrierError';
    this.kind = kind;
  }
}

// Media.

/**
 * The sound of one answered leg, both ways.
 *
 * Who paces: whoever sends to a leg does, and nobody after them. The engine's lane is that sender: whole frames of 20 ms on the
 * media clock, at most 200 ms ahead. A leg over WebSocket passes them on as they come. A leg whose wire wants one packet every
 * 20 ms (RTP) keeps what is ahead, at most 200 ms, and sends on its own media clock; beyond that it drops the oldest.
 * What comes in is handed on as it comes, in order, without a gap filled by time: a leg over RTP conceals, the others don't.
 */
export interface MediaLeg {
  readonly format: MediaFormat;
  /**
   * Binds the sink of received audio; up to 2 s that came before are queued for it. A second sink replaces the first.
   */
  bind(sink: MediaSink): void;
  /** Whole frames in `format`; copied during the call. */
  send(frames: Uint8Array): void;
  /** Throws away what was sent and not yet played; waiting marks come back at once. */
  clear(): void;
  /** `marked` follows once everything that was sent before has been played. */
  mark(name: string): void;
  stats(): MediaStats;
  /**
   * A leg whose RTP the engine carries has this: audio flows between it and the lane there, and `send` and
   * `MediaSink.audio` are unused.
   */
  join?(lane: { readonly slot: number; readonly generation: number } | null): void;
}

/** The format of a leg on this side of the carrier, whatever the wire format is. */
export interface MediaFormat {
  readonly codec: 'ulaw' | 'pcm16';
  readonly rate: 8000 | 16000;
}

export interface MediaSink {
  /** Valid only during the call. */
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
  /** Share of the samples that lie at the end of the scale, 0 to 1; null: nothing came. */
  readonly clipped: number | null;
}

/** The echo of what we sent, from the far side. */
export interface LineEcho {
  readonly delayMs: number;
  /** The level relative to what was sent; below 0 is quieter. */
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

import { type Clock, systemClock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { Described, Peer, PeerEnd, PeerListener } from './contract.ts';
import { libraryMissing, type PeersProcess, startPeersProcess } from './process.ts';
import {
  controlOf,
  type FromPeers,
  frame,
  Kind,
  type PeerPlan,
  type PeerStats,
  type ToPeers,
} from './protocol.ts';

export interface WebRtcOptions {
  readonly ports: { readonly first: number; readonly last: number };
  /** The address at which other machines reach this one, where that is not one of its own. */
  readonly address: string | null;
  readonly stun: readonly string[];
  /** Connections at once, those that are not up yet counted. */
  readonly most: number;
  /** Of those, connections that are not up yet. */
  readonly mostOpening: number;
  readonly connectWithinMs: number;
  readonly clock?: Clock;
  readonly onFault?: (message: string) => void;
  /** Only tests give their own program. */
  readonly worker?: string;
}

/** A process that could not even begin is not tried again for so long. */
const REST_MS = 5_000;
const DESCRIBED_WITHIN_MS = 5_000;
/** What browsers and providers send is a tenth of it. */
export const MOST_SDP_BYTES = 65_536;
const NO_STATS: PeerStats = { received: 0, lost: 0, late: 0, concealed: 0, sent: 0, codec: null };

type State =
  | { readonly kind: 'describing'; resolve(described: Described): void; reject(error: Error): void }
  | { readonly kind: 'opening' }
  | { readonly kind: 'connected' }
  | { readonly kind: 'over' };

interface Entry {
  readonly peer: Peer;
  readonly listener: PeerListener;
  state: State;
}

type Life =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly process: PeersProcess; ready: boolean }
  | { readonly kind: 'resting'; readonly why: string; readonly until: number }
  | { readonly kind: 'stopped' };

/** All peer connections of this node, in a process of their own. */
export class WebRtc {
  readonly #options: WebRtcOptions;
  readonly #clock: Clock;
  readonly #entries = new Map<number, Entry>();
  #life: Life = { kind: 'none' };
  #number = 0;

  constructor(options: WebRtcOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Why there are no calls by WebRTC here; null: there are. */
  get off(): string | null {
    if (this.#life.kind === 'resting') return this.#life.why;
    return this.#options.worker === undefined ? libraryMissing() : null;
  }

  /** Of the process that runs now. */
  get pid(): number | null {
    return this.#life.kind === 'running' ? this.#life.process.pid : null;
  }

  get count(): number {
    return this.#entries.size;
  }

  /** Answers an offer. Rejects with ApiError: `invalid_request` for one that can't be taken, `capacity`, `unavailable`. */
  answer(offer: string, listener: PeerListener): Promise<Described> {
    return this.#open(offer, listener);
  }

  /** An offer of ours; `answered` brings the other side's answer, which may take a person's time. */
  offer(listener: PeerListener, connectWithinMs?: number): Promise<Described> {
    return this.#open(null, listener, connectWithinMs);
  }

  async stop(): Promise<void> {
    const life = this.#life;
    this.#life = { kind: 'stopped' };
    this.#endAll('closed');
    if (life.kind === 'running') await life.process.kill();
  }

  #open(offer: string | null, listener: PeerListener, withinMs?: number): Promise<Described> {
    return new Promise((resolve, reject) => {
      if (tooLong(offer ?? '')) throw refused(`a description has at most ${MOST_SDP_BYTES} bytes`);
      this.#admit();
      const process = this.#running();
      const number = ++this.#number;
      const stop = this.#clock.after(DESCRIBED_WITHIN_MS, () => this.#drop(number, TOO_SLOW));
      const settled = { resolve: after(stop, resolve), reject: after(stop, reject) };
      const peer = this.#peer(number);
      this.#entries.set(number, { peer, listener, state: { kind: 'describing', ...settled } });
      const { ports, address, stun, connectWithinMs } = this.#options;
      const plan: PeerPlan = { offer, ports, address, stun, connectWithinMs: withinMs ?? connectWithinMs };
      process.write(controlOf(number, { type: 'open', ...plan }));
    });
  }

  #admit(): void {
    const { most, mostOpening } = this.#options;
    const opening = [...this.#entries.values()].filter(({ state }) => state.kind !== 'connected').length;
    if (this.#entries.size < most && opening < mostOpening) return;
    throw new ApiError('capacity', 'as many calls by WebRTC as this server carries run or begin already', {
      retryAfter: 5,
    });
  }

  #running(): PeersProcess {
    const life = this.#life;
    if (life.kind === 'running') return life.process;
    const off = life.kind === 'stopped' ? 'the server ends' : this.off;
    if (off !== null && !(life.kind === 'resting' && this.#clock.monotonic() >= life.until))
      throw unavailable(off);
    const { worker } = this.#options;
    const process = startPeersProcess({
      take: (number, kind, payload) => this.#take(number, kind, payload),
      ended: (reason) => this.#gone(process, reason),
      ...(worker === undefined ? {} : { worker }),
    });
    this.#life = { kind: 'running', process, ready: false };
    return process;
  }

  #gone(process: PeersProcess, reason: string): void {
    const life = this.#life;
    if (life.kind !== 'running' || life.process !== process) return;
    this.#life = life.ready
      ? { kind: 'none' }
      : { kind: 'resting', why: reason, until: this.#clock.monotonic() + REST_MS };
    this.#options.onFault?.(reason);
    for (const number of [...this.#entries.keys()]) this.#drop(number, unavailable(reason));
    this.#endAll('process_gone');
  }

  #endAll(end: PeerEnd): void {
    for (const number of [...this.#entries.keys()]) this.#ended(number, end, NO_STATS);
  }

  #take(number: number, kind: number, payload: Buffer): void {
    const entry = this.#entries.get(number);
    if (kind === Kind.audio) entry?.listener.audio(payload);
    else if (kind === Kind.data) entry?.listener.data?.(payload);
    else this.#told(number, JSON.parse(payload.toString()) as FromPeers);
  }

  #told(number: number, message: FromPeers): void {
    const entry = this.#entries.get(number);
    if (message.type === 'ready') {
      if (this.#life.kind === 'running') this.#life.ready = true;
    } else if (entry === undefined) return;
    else if (message.type === 'described') this.#described(entry, message);
    else if (message.type === 'refused') this.#drop(number, refused(message.message));
    else if (message.type === 'connected') this.#connected(entry);
    else if (message.type === 'channel_open') entry.listener.channelOpen?.();
    else if (message.type === 'key') entry.listener.key?.(message.digit);
    else this.#ended(number, message.end, message.stats);
  }

  #described(entry: Entry, { sdp, channel }: Extract<FromPeers, { type: 'described' }>): void {
    if (entry.state.kind !== 'describing') return;
    const { resolve } = entry.state;
    entry.state = { kind: 'opening' };
    resolve({ peer: entry.peer, sdp, channel });
  }

  #connected(entry: Entry): void {
    if (entry.state.kind === 'over') return;
    entry.state = { kind: 'connected' };
    entry.listener.connected();
  }

  #ended(number: number, end: PeerEnd, stats: PeerStats): void {
    const entry = this.#entries.get(number);
    if (entry === undefined) return;
    const { state } = entry;
    entry.state = { kind: 'over' };
    this.#entries.delete(number);
    if (state.kind === 'describing') state.reject(unavailable('the connection could not begin'));
    else entry.listener.ended(end, stats);
  }

  /** Before it was described: the listener has heard of nothing. */
  #drop(number: number, error: ApiError): void {
    const entry = this.#entries.get(number);
    if (entry?.state.kind !== 'describing') return;
    const { reject } = entry.state;
    entry.state = { kind: 'over' };
    this.#entries.delete(number);
    this.#say(number, { type: 'close' });
    reject(error);
  }

  #say(number: number, message: ToPeers): void {
    if (this.#life.kind === 'running') this.#life.process.write(controlOf(number, message));
  }

  #peer(number: number): Peer {
    const write = (kind: Kind, bytes: Uint8Array) => {
      if (this.#life.kind === 'running') this.#life.process.write(frame(number, kind, bytes));
    };
    return {
      send: (pcm) => write(Kind.audio, pcm),
      data: (bytes) => write(Kind.data, bytes),
      clear: () => this.#say(number, { type: 'clear' }),
      press: (digits) => this.#say(number, { type: 'keys', digits }),
      // An answer that is none ends the call by itself: nothing connects.
      answered: (sdp) => {
        if (!tooLong(sdp)) this.#say(number, { type: 'answered', sdp });
      },
      candidates: (lines) => this.#say(number, { type: 'candidates', lines }),
      close: () => this.#say(number, { type: 'close' }),
    };
  }
}

const tooLong = (sdp: string): boolean => Buffer.byteLength(sdp) > MOST_SDP_BYTES;
const TOO_SLOW = new ApiError('unavailable', 'the connection was not described in time', { retryAfter: 5 });
const refused = (message: string) => new ApiError('invalid_request', message, { param: 'sdp' });
const unavailable = (why: string) =>
  new ApiError('unavailable', `there are no calls by WebRTC now: ${why}`, { retryAfter: 5 });

function after<T>(first: () => void, then: (value: T) => void): (value: T) => void {
  return (value) => {
    first();
    then(value);
  };
}

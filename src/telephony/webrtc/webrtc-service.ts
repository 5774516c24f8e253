import { type Clock, systemClock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { type Engine, telephonyLibraries } from '../../media/engine/index.ts';
import { type AddressFilter, isReachable, onlyReachable } from './candidates.ts';
import type { DescribedPeer, PeerEnd, PeerListener, PeerStats } from './contract.ts';
import { PeerConnection, tooLong, tooLongError, unavailable } from './peer-connection.ts';
import { libraryMissing, type PeersProcess, startPeersProcess } from './process.ts';
import { controlOf, type FromPeers, frame, type PeerPlan, type ToPeers } from './protocol.ts';

export interface WebRtcOptions {
  readonly engine: Pick<Engine, 'open'>;
  /** When this is absent, Opus is offered if the engine has it. */
  readonly opus?: boolean;
  readonly ports: { readonly first: number; readonly last: number };
  /** The address under which other machines reach this one, where it is not the machine's own. */
  readonly address: string | null;
  readonly stun: readonly string[];
  readonly mayReach: AddressFilter;
  /** The limit includes connections that are not up yet. */
  readonly most: number;
  readonly mostOpening: number;
  readonly connectWithinMs: number;
  readonly restartWithinMs: number;
  readonly clock?: Clock;
  readonly onFault?: (message: string) => void;
  readonly worker?: string;
}

const REST_MS = 5_000;
const DESCRIBED_WITHIN_MS = 5_000;

type PeerState =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly process: PeersProcess; ready: boolean }
  | { readonly kind: 'resting'; readonly why: string; readonly until: number }
  | { readonly kind: 'stopped' };

export class WebRtcService {
  readonly #options: WebRtcOptions;
  readonly #clock: Clock;
  readonly #entries = new Map<number, PeerConnection>();
  readonly #totals = { packets_lost: 0, packets_recovered: 0, played_s: 0, concealed_s: 0 };
  #state: PeerState = { kind: 'none' };
  #number = 0;

  constructor(options: WebRtcOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  get off(): string | null {
    if (this.#state.kind === 'resting') return this.#state.why;
    return this.#options.worker === undefined ? libraryMissing() : null;
  }

  get pid(): number | null {
    return this.#state.kind === 'running' ? this.#state.process.pid : null;
  }

  get count(): number {
    return this.#entries.size;
  }

  get totals(): Readonly<Record<string, number>> {
    return this.#totals;
  }

  /** Answers an offer. Rejects with ApiError: `invalid_request` for an unusable offer, `capacity`, `unavailable`. */
  answer(offer: string, listener: PeerListener): Promise<DescribedPeer> {
    return this.#open(offer, listener);
  }

  /** Makes an offer. `answered` passes in the answer, which may depend on a person and take that long. */
  offer(listener: PeerListener, connectWithinMs?: number): Promise<DescribedPeer> {
    return this.#open(null, listener, connectWithinMs);
  }

  async stop(): Promise<void> {
    const state = this.#state;
    this.#state = { kind: 'stopped' };
    this.#endAll('closed');
    if (state.kind === 'running') await state.process.kill();
  }

  #open(offer: string | null, listener: PeerListener, withinMs?: number): Promise<DescribedPeer> {
    return new Promise((resolve, reject) => {
      if (tooLong(offer ?? '')) throw tooLongError();
      this.#admit();
      const process = this.#running();
      const number = ++this.#number;
      const stop = this.#clock.after(DESCRIBED_WITHIN_MS, () => entry.drop(TOO_SLOW));
      const settled = { resolve: after(stop, resolve), reject: after(stop, reject) };
      const { engine, ports, address, stun, connectWithinMs, restartWithinMs, onFault } = this.#options;
      const source = 1 + Math.floor(Math.random() * 0xffff_fffe);
      const entry = new PeerConnection(
        {
          engine,
          source,
          say: (message) => this.#say(number, message),
          frame: (kind, bytes) => this.#write(frame(number, kind, bytes)),
          gone: () => void this.#entries.delete(number),
          fault: (message) => onFault?.(message),
        },
        this.#counted(listener),
        settled,
      );
      this.#entries.set(number, entry);
      const opus = this.#options.opus ?? telephonyLibraries().opus;
      const within = { connectWithinMs: withinMs ?? connectWithinMs, restartWithinMs };
      const plan: PeerPlan = { offer, opus, source, ports, address, stun, ...within };
      process.write(controlOf(number, this.#within({ type: 'open', ...plan })));
    });
  }

  #counted(listener: PeerListener): PeerListener {
    return {
      connected: (rate) => listener.connected(rate),
      audio: (pcm) => listener.audio(pcm),
      channelOpen: () => listener.channelOpen?.(),
      data: (bytes) => listener.data?.(bytes),
      key: (digit) => listener.key?.(digit),
      ended: (end, stats) => {
        this.#count(stats);
        listener.ended(end, stats);
      },
    };
  }

  #count({ lost, recovered, playedMs, concealedMs }: PeerStats): void {
    const totals = this.#totals;
    totals.packets_lost += Math.max(0, lost);
    totals.packets_recovered += recovered;
    totals.played_s += playedMs / 1000;
    totals.concealed_s += concealedMs / 1000;
  }

  #admit(): void {
    const { most, mostOpening } = this.#options;
    const opening = [...this.#entries.values()].filter((entry) => entry.opening).length;
    if (this.#entries.size < most && opening < mostOpening) return;
    throw new ApiError('capacity', 'this server has reached its limit of WebRTC calls: try again later', {
      retryAfter: 5,
    });
  }

  #running(): PeersProcess {
    const state = this.#state;
    if (state.kind === 'running') return state.process;
    const off = state.kind === 'stopped' ? 'the server ends' : this.off;
    if (off !== null && !(state.kind === 'resting' && this.#clock.monotonic() >= state.until))
      throw unavailable(off);
    const { worker } = this.#options;
    const process = startPeersProcess({
      take: (number, kind, payload) => this.#take(number, kind, payload),
      ended: (reason) => this.#gone(process, reason),
      ...(worker === undefined ? {} : { worker }),
    });
    this.#state = { kind: 'running', process, ready: false };
    return process;
  }

  #gone(process: PeersProcess, reason: string): void {
    const state = this.#state;
    if (state.kind !== 'running' || state.process !== process) return;
    this.#state = state.ready
      ? { kind: 'none' }
      : { kind: 'resting', why: reason, until: this.#clock.monotonic() + REST_MS };
    this.#options.onFault?.(reason);
    for (const entry of [...this.#entries.values()]) entry.drop(unavailable(reason));
    this.#endAll('process_gone');
  }

  #endAll(end: PeerEnd): void {
    for (const entry of [...this.#entries.values()]) entry.ended(end);
  }

  #take(number: number, kind: number, payload: Buffer): void {
    if (number !== 0) this.#entries.get(number)?.take(kind, payload);
    else if ((JSON.parse(payload.toString()) as FromPeers).type === 'ready' && this.#state.kind === 'running')
      this.#state.ready = true;
  }

  #say(number: number, message: ToPeers): void {
    this.#write(controlOf(number, this.#within(message)));
  }

  #within(message: ToPeers): ToPeers {
    const { mayReach } = this.#options;
    if (message.type === 'answered') return { ...message, sdp: onlyReachable(message.sdp, mayReach) };
    if (message.type === 'candidates')
      return { ...message, lines: message.lines.filter((line) => isReachable(line, mayReach)) };
    if ((message.type === 'open' || message.type === 'restart') && message.offer !== null)
      return { ...message, offer: onlyReachable(message.offer, mayReach) };
    return message;
  }

  #write(bytes: Buffer): void {
    if (this.#state.kind === 'running') this.#state.process.write(bytes);
  }
}

const TOO_SLOW = new ApiError('unavailable', 'ICE gathering for the answer took too long', { retryAfter: 5 });

function after<T>(first: () => void, then: (value: T) => void): (value: T) => void {
  return (value) => {
    first();
    then(value);
  };
}

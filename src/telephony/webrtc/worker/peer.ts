import type { DataChannel } from 'node-datachannel';
import type { FromPeers, PeerEnd, PeerPlan } from '../protocol.ts';
import { WorkerDataChannel } from './channel.ts';
import type { Library } from './library.ts';
import { PacketRelay } from './relay.ts';
import { writeBye } from './rtcp.ts';
import { DescriptionError } from './sdp.ts';
import { Transport, type TransportOut } from './transport.ts';

export interface PeerOut {
  notify(message: FromPeers): void;
  data(payload: Buffer): void;
  over(): void;
}

type State =
  | { readonly kind: 'connecting'; readonly by: number }
  | { readonly kind: 'connected' }
  | { readonly kind: 'interrupted'; readonly by: number; readonly end: PeerEnd }
  /** The last audio is still being sent. */
  | { readonly kind: 'leaving'; readonly from: number; readonly by: number }
  | { readonly kind: 'over' };

const LAST_WORDS_MS = 100;
const MOST_LAST_WORDS_MS = 500;

/**
 * One call: its current transport, the transport of an ICE restart, and the packet relay and data channel that
 * outlive both.
 */
export class WorkerPeer {
  readonly #library: Library;
  readonly #name: string;
  readonly #plan: PeerPlan;
  readonly #out: PeerOut;
  readonly channel: WorkerDataChannel;
  #state: State;
  #way: Transport | null = null;
  #next: { readonly way: Transport; readonly by: number; channel: DataChannel | null } | null = null;
  #relay: PacketRelay | null = null;
  #awaitsAnswer: boolean;

  constructor(library: Library, name: string, plan: PeerPlan, out: PeerOut, now: number) {
    this.#library = library;
    this.#name = name;
    this.#plan = plan;
    this.#awaitsAnswer = plan.offer === null;
    this.#out = out;
    this.channel = new WorkerDataChannel({
      opened: () => out.notify({ type: 'channel_open' }),
      message: (bytes) => {
        if (!this.over) out.data(bytes);
      },
    });
    this.#state = { kind: 'connecting', by: now + plan.connectWithinMs };
    try {
      this.#way = new Transport(library, name, plan, null, this.#firstWay(), now);
    } catch (error) {
      this.#refuse(error);
    }
  }

  get over(): boolean {
    return this.#state.kind === 'over';
  }

  /** Only the first answer counts: providers deliver at least once, and the library can't take a second one. */
  answered(sdp: string): void {
    if (!this.#awaitsAnswer) return;
    this.#awaitsAnswer = false;
    try {
      this.#way?.answered(sdp);
    } catch (error) {
      this.#refuse(error);
    }
  }

  candidates(lines: readonly string[]): void {
    (this.#next?.way ?? this.#way)?.candidates(lines);
  }

  /**
   * The library does not support an ICE restart: a second connection answers the offer and replaces the first once it
   * is connected.
   */
  restart(offer: string, now: number): void {
    const { kind } = this.#state;
    if (kind !== 'connected' && kind !== 'interrupted') {
      this.#out.notify({
        type: 'restarted',
        sdp: null,
        message: 'the call is not connected yet, or has ended',
      });
      return;
    }
    this.#next?.way.close();
    this.#next = null;
    try {
      const plan = { ...this.#plan, offer };
      const out = this.#nextWay();
      const way = new Transport(this.#library, this.#name, plan, this.channel.dataChannel, out, now);
      this.#next = { way, by: now + this.#plan.connectWithinMs, channel: out.opened() };
    } catch (error) {
      this.#out.notify({ type: 'restarted', sdp: null, message: wordsOf(error) });
    }
  }

  sound(port: number): void {
    this.#relay?.connect(port);
  }

  tick(now: number): void {
    const state = this.#state;
    this.#way?.tick(now);
    this.#next?.way.tick(now);
    this.#relay?.tick(now);
    if (this.#next !== null && now >= this.#next.by) {
      this.#next.way.close();
      this.#next = null;
    }
    if (state.kind === 'connecting' && now >= state.by) this.end('never_connected');
    if (state.kind === 'interrupted' && now >= state.by && this.#next === null) this.end(state.end);
    if (state.kind === 'leaving' && (now >= state.by || (now >= state.from && this.channel.waiting === 0)))
      this.#left(now);
  }

  leave(now: number): void {
    if (this.#state.kind !== 'connected') this.end('closed');
    else this.#state = { kind: 'leaving', from: now + LAST_WORDS_MS, by: now + MOST_LAST_WORDS_MS };
  }

  end(end: PeerEnd): void {
    if (this.over) return;
    this.#state = { kind: 'over' };
    this.#way?.send(writeBye(this.#plan.source));
    this.#out.notify({ type: 'ended', end });
    this.#relay?.close();
    this.#way?.close();
    this.#next?.way.close();
    this.#out.over();
  }

  #firstWay(): TransportOut {
    return {
      described: (sdp, channel) => this.#out.notify({ type: 'described', sdp, channel }),
      connected: () => {
        if (this.#state.kind === 'connecting') this.#connected();
      },
      lost: (why) => this.#lost(why, this.#way),
      packet: (packet) => this.#relay?.take(packet, performance.now()),
      channel: (channel) => this.channel.take(channel),
    };
  }

  #connected(): void {
    const format = this.#way?.format;
    if (format === undefined || format === null) return;
    this.#state = { kind: 'connected' };
    const out = {
      packet: (packet: Buffer) => this.#way?.send(packet),
      gone: () => this.end('closed'),
    };
    this.#relay = new PacketRelay(out, (port) => this.#out.notify({ type: 'connected', format, port }));
  }

  #nextWay(): TransportOut & { opened(): DataChannel | null } {
    let opened: DataChannel | null = null;
    let way: Transport | null = null;
    return {
      opened: () => opened,
      described: (sdp) => {
        way = this.#next?.way ?? null;
        this.#out.notify({ type: 'restarted', sdp, message: '' });
      },
      connected: () => this.#moved(),
      lost: (why) => this.#lost(why, way),
      packet: (packet) => this.#relay?.take(packet, performance.now()),
      channel: (channel) => {
        opened = channel;
      },
    };
  }

  #moved(): void {
    const next = this.#next;
    if (next === null || this.over) return;
    this.#way?.close();
    this.#way = next.way;
    this.#next = null;
    if (next.channel !== null) this.channel.moved(next.channel);
    if (this.#state.kind === 'interrupted') this.#state = { kind: 'connected' };
  }

  #lost(why: 'failed' | 'closed', way: Transport | null): void {
    if (this.#next !== null && this.#next.way === way) {
      this.#next = null;
      way?.close();
      return;
    }
    const { kind } = this.#state;
    if (way !== this.#way || kind === 'over') return;
    if (kind === 'connecting') this.end(why === 'closed' ? 'closed' : 'never_connected');
    // A browser that renews its keys for an ICE restart sends a close on the old transport.
    else if (kind === 'connected' && (why === 'failed' || this.#next !== null))
      this.#state = { kind: 'interrupted', by: performance.now() + this.#plan.restartWithinMs, end: why };
    else if (kind !== 'interrupted') this.end('closed');
  }

  /** The channel closes before its connection; browsers report an error to the page otherwise. */
  #left(now: number): void {
    const by = now + LAST_WORDS_MS;
    if (this.channel.close()) this.#state = { kind: 'leaving', from: by, by };
    else this.end('closed');
  }

  #refuse(error: unknown): void {
    if (this.over) return;
    this.#out.notify({ type: 'refused', message: wordsOf(error) });
    this.end('failed');
  }
}

/** The library's parse errors say nothing that the caller could act on. */
const wordsOf = (error: unknown): string =>
  error instanceof DescriptionError ? error.message : 'the description cannot be applied';

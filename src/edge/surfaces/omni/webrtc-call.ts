import type {
  CallConfiguration,
  CallerConnection,
  CallResume,
  LiveCallDeps,
} from '../../../conversation/calls/index.ts';
import type { Principal } from '../../../foundation/access/contract.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type {
  DescribedPeer,
  LaneRef,
  Peer,
  PeerEnd,
  PeerListener,
  PeerRate,
} from '../../../telephony/webrtc/index.ts';
import type { Socket, SocketHandler } from '../../server/surface.ts';
import { ABNORMAL_CLOSURE, OmniCallSession } from './call-session.ts';
import { OmniEventWriter } from './event-writer.ts';

const REVOKED = 4401;
const SERVER_FAULT = 1011;

/** The connection of one peer, as the session on it sees it: the socket carries the messages of the data channel. */
export interface PeerLine {
  readonly peer: Peer;
  readonly rate: PeerRate;
  readonly socket: Socket;
  readonly hasChannel: boolean;
}

export interface PeerSession extends Pick<SocketHandler, 'onMessage'> {
  heard(pcm: Uint8Array): void;
  pressed(digit: string): void;
  onClosing(code: number): void;
  onClosed(code?: number): void;
}

export interface WebRtcCaller {
  readonly callId: string;
  readonly principal: Principal;
  /** Holds the hash of the credential that came with the offer; changing or ending the call requires the same one. */
  readonly credential: string;
  openSession(line: PeerLine): PeerSession;
  /** The call never started: it costs nothing, and its token becomes valid again. */
  abandon(): void;
}

type WatchRevocation = (principal: Principal, onDead: () => void) => () => void;

type WebRtcCallState =
  | { readonly kind: 'offered' }
  | { readonly kind: 'described'; readonly peer: Peer; readonly channel: boolean }
  | {
      readonly kind: 'live';
      readonly peer: Peer;
      readonly call: PeerSession;
      readonly unwatch: () => void;
    }
  | { readonly kind: 'over' };

/** One call by WebRTC: the session's messages use a data channel, if the page opens one, and the audio uses RTP. */
export class WebRtcCall implements PeerListener {
  readonly caller: WebRtcCaller;
  readonly #watch: WatchRevocation;
  readonly #over: () => void;
  #state: WebRtcCallState = { kind: 'offered' };
  #waiting: (Uint8Array | string)[] | null = [];

  constructor(watch: WatchRevocation, caller: WebRtcCaller, over: () => void) {
    this.#watch = watch;
    this.caller = caller;
    this.#over = over;
  }

  described({ peer, channel }: DescribedPeer): void {
    if (this.#state.kind === 'over') peer.close();
    else this.#state = { kind: 'described', peer, channel };
  }

  connected(rate: PeerRate): void {
    const state = this.#state;
    if (state.kind !== 'described') return;
    const { peer, channel } = state;
    const line = { peer, rate, socket: this.#socket(peer), hasChannel: channel };
    const call = this.caller.openSession(line);
    const unwatch = this.#watch(this.caller.principal, () => this.closeGracefully(REVOKED));
    this.#state = { kind: 'live', peer, call, unwatch };
  }

  audio(pcm: Uint8Array): void {
    if (this.#state.kind === 'live') this.#state.call.heard(pcm);
  }

  data(bytes: Uint8Array): void {
    if (this.#state.kind === 'live') this.#state.call.onMessage(bytes, true);
  }

  channelOpen(): void {
    const { peer } = this.#state as { peer?: Peer };
    for (const frame of this.#waiting ?? []) peer?.data(frame);
    this.#waiting = null;
  }

  key(digit: string): void {
    if (this.#state.kind === 'live') this.#state.call.pressed(digit);
  }

  candidates(lines: readonly string[]): void {
    const { peer } = this.#state as { peer?: Peer };
    peer?.candidates(lines);
  }

  /** An ICE restart, after the page's network has changed. */
  async restart(offer: string): Promise<string> {
    if (this.#state.kind === 'live') return await this.#state.peer.restart(offer);
    throw new ApiError('call_not_live', 'the call is not connected yet, or has ended');
  }

  hangUp(): void {
    const { peer } = this.#state as { peer?: Peer };
    peer?.close();
  }

  closeGracefully(code: number): void {
    if (this.#state.kind === 'live') this.#state.call.onClosing(code);
    this.hangUp();
  }

  ended(end: PeerEnd): void {
    const state = this.#state;
    if (state.kind === 'over') return;
    this.#state = { kind: 'over' };
    this.#over();
    if (state.kind === 'live') {
      state.unwatch();
      if (end === 'process_gone') state.call.onClosing(SERVER_FAULT);
      state.call.onClosed(end === 'failed' ? ABNORMAL_CLOSURE : undefined);
    } else this.abandon();
  }

  abandon(): void {
    this.#state = { kind: 'over' };
    this.caller.abandon();
  }

  #socket(peer: Peer): Socket {
    return {
      requestId: this.caller.callId,
      bufferedBytes: 0,
      send: (frame) => {
        if (this.#waiting === null) peer.data(frame);
        else if (this.#waiting.length < MAX_PENDING_FRAMES) this.#waiting.push(frame);
        return true;
      },
      close: () => peer.close(),
    };
  }
}

/** A page that never opens its channel reads no frames, so the queue is bounded. */
const MAX_PENDING_FRAMES = 50;

export function openOmniPeer(
  deps: LiveCallDeps,
  about: Omit<CallerConnection, 'rate' | 'resumable'>,
  { peer, rate, socket, hasChannel }: PeerLine,
): OmniCallSession {
  // A client without a data channel gets no events, and so no token to resume with.
  const caller: CallerConnection = { ...about, rate, resumable: hasChannel };
  const wire = new WebRtcEventWriter(socket, caller, peer, () => call.lane);
  const call: OmniCallSession = new OmniCallSession(deps, caller, wire);
  if (!hasChannel) call.begin();
  return call;
}

/** The engine passes the audio between the peer and the agent's lane, and drops interrupted audio itself. */
class WebRtcEventWriter extends OmniEventWriter {
  readonly #peer: Peer;
  readonly #lane: () => LaneRef | null;
  #joined: LaneRef | null = null;
  #isBridged = false;

  constructor(socket: Socket, { callId, rate }: CallerConnection, peer: Peer, lane: () => LaneRef | null) {
    super(socket, callId, rate);
    this.#peer = peer;
    this.#lane = lane;
  }

  override acknowledge(configured: CallConfiguration, resume?: CallResume): void {
    this.#joined ??= this.#join();
    super.acknowledge(configured, resume);
  }

  override audio(pcm: Uint8Array): void {
    this.#peer.send(pcm);
  }

  bridged(on: boolean): void {
    this.#isBridged = on;
    this.#peer.join(on ? null : this.#lane());
  }

  override bargeIn(turnId: number, playedMs: number): void {
    if (this.#isBridged) this.#peer.clear();
    super.bargeIn(turnId, playedMs);
  }

  #join(): LaneRef | null {
    const lane = this.#lane();
    this.#peer.join(lane);
    return lane;
  }

  override sendKeys(digits: string): void {
    this.#peer.press(digits);
    super.sendKeys(digits);
  }
}

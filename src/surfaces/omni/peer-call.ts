import type { Admission, Principal } from '../../access/contract.ts';
import type { Caller, LiveCallDeps } from '../../calls/index.ts';
import type { Socket } from '../../server/surface.ts';
import type { Described, Peer, PeerEnd, PeerListener } from '../../webrtc/index.ts';
import { CallSocket } from './call-socket.ts';
import { CallWire } from './call-wire.ts';

/** What WebRTC carries of a call in G.711. */
const RATE = 8_000;

const REVOKED = 4401;
const BROKEN = 1011;

export interface PeerCaller {
  readonly callId: string;
  readonly principal: Principal;
  readonly admission: Admission;
  readonly sessionLabel: string | null;
  /** What was presented with the offer, hashed: whoever changes or ends the call presents it again. */
  readonly credential: string;
  notBegun(): void;
}

export interface PeerCallDeps extends LiveCallDeps {
  watch(principal: Principal, onDead: () => void): () => void;
}

type State =
  | { readonly kind: 'offered' }
  | { readonly kind: 'described'; readonly peer: Peer; readonly channel: boolean }
  | { readonly kind: 'live'; readonly peer: Peer; readonly call: CallSocket; readonly unwatch: () => void }
  | { readonly kind: 'over' };

/** One call by WebRTC: Omni's frames on a data channel, where the page opens one, and the audio beside them as RTP. */
export class PeerCall implements PeerListener {
  readonly caller: PeerCaller;
  readonly #deps: PeerCallDeps;
  readonly #over: () => void;
  #state: State = { kind: 'offered' };
  /** What is said before the channel is open waits for it. */
  #waiting: Uint8Array[] | null = [];

  constructor(deps: PeerCallDeps, caller: PeerCaller, over: () => void) {
    this.#deps = deps;
    this.caller = caller;
    this.#over = over;
  }

  described({ peer, channel }: Described): void {
    if (this.#state.kind === 'over') peer.close();
    else this.#state = { kind: 'described', peer, channel };
  }

  connected(): void {
    const state = this.#state;
    if (state.kind !== 'described') return;
    const { peer, channel } = state;
    const { principal } = this.caller;
    const caller: Caller = { ...this.caller, rate: RATE };
    const call = new CallSocket(this.#deps, caller, new PeerWire(this.#socket(peer), caller, peer));
    const unwatch = this.#deps.watch(principal, () => this.leave(REVOKED));
    this.#state = { kind: 'live', peer, call, unwatch };
    if (!channel) call.begin();
  }

  audio(pcm: Uint8Array): void {
    if (this.#state.kind === 'live') this.#state.call.heard(pcm);
  }

  data(bytes: Uint8Array): void {
    if (this.#state.kind === 'live') this.#state.call.message(bytes, true);
  }

  channelOpen(): void {
    const { peer } = this.#state as { peer?: Peer };
    for (const bytes of this.#waiting ?? []) peer?.data(bytes);
    this.#waiting = null;
  }

  key(digit: string): void {
    if (this.#state.kind === 'live') this.#state.call.pressed(digit);
  }

  candidates(lines: readonly string[]): void {
    const { peer } = this.#state as { peer?: Peer };
    peer?.candidates(lines);
  }

  /** The page ends the call. */
  hangUp(): void {
    const { peer } = this.#state as { peer?: Peer };
    peer?.close();
  }

  /** The server ends it; the page is told why where it listens. */
  leave(code: number): void {
    if (this.#state.kind === 'live') this.#state.call.closing(code);
    this.hangUp();
  }

  ended(end: PeerEnd): void {
    const state = this.#state;
    if (state.kind === 'over') return;
    this.#state = { kind: 'over' };
    this.#over();
    if (state.kind === 'live') {
      state.unwatch();
      if (end === 'process_gone') state.call.closing(BROKEN);
      state.call.closed();
    } else this.giveBack();
  }

  /** The call never began: it costs nothing, and the token is good again. */
  giveBack(): void {
    this.#state = { kind: 'over' };
    void this.caller.admission.release();
    this.caller.notBegun();
  }

  #socket(peer: Peer): Socket {
    return {
      requestId: this.caller.callId,
      bufferedBytes: 0,
      send: (frame) => {
        const bytes = frame as Uint8Array;
        if (this.#waiting === null) peer.data(bytes);
        else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(bytes);
        return true;
      },
      close: () => peer.close(),
    };
  }
}

/** A page that opens no channel hears, and reads nothing. */
const MOST_WAITING = 50;

/** The agent's audio goes as RTP, and what was cut is not played. */
class PeerWire extends CallWire {
  readonly #peer: Peer;

  constructor(socket: Socket, { callId, rate }: Caller, peer: Peer) {
    super(socket, callId, rate);
    this.#peer = peer;
  }

  override audio(pcm: Uint8Array): void {
    this.#peer.send(pcm);
  }

  override bargeIn(turnId: number, playedMs: number): void {
    this.#peer.clear();
    super.bargeIn(turnId, playedMs);
  }

  override sendKeys(digits: string): void {
    this.#peer.press(digits);
    super.sendKeys(digits);
  }
}

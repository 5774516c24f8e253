import type {
  CallConfiguration,
  CallerConnection,
  CallResume,
  LiveCallDeps,
} from '../../../conversation/calls/index.ts';
import type { Admission, Principal } from '../../../foundation/access/contract.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type {
  DescribedPeer,
  LaneRef,
  Peer,
  PeerEnd,
  PeerListener,
  PeerRate,
} from '../../../telephony/webrtc/index.ts';
import type { Socket } from '../../server/surface.ts';
import { ABNORMAL_CLOSURE, OmniCallSession } from './call-session.ts';
import { OmniEventWriter } from './event-writer.ts';

const REVOKED = 4401;
const SERVER_FAULT = 1011;

export interface WebRtcCaller {
  readonly callId: string;
  readonly principal: Principal;
  readonly admission: Admission;
  readonly sessionLabel: string | null;
  /** Holds the hash of the credential that came with the offer; changing or ending the call requires the same one. */
  readonly credential: string;
  onNotBegun(): void;
}

export interface WebRtcCallDeps extends LiveCallDeps {
  watch(principal: Principal, onDead: () => void): () => void;
}

type WebRtcCallState =
  | { readonly kind: 'offered' }
  | { readonly kind: 'described'; readonly peer: Peer; readonly channel: boolean }
  | {
      readonly kind: 'live';
      readonly peer: Peer;
      readonly call: OmniCallSession;
      readonly unwatch: () => void;
    }
  | { readonly kind: 'over' };

/** One call by WebRTC: Omni's frames use a data channel, if the page opens one, and the audio uses RTP. */
export class WebRtcCall implements PeerListener {
  readonly caller: WebRtcCaller;
  readonly #deps: WebRtcCallDeps;
  readonly #over: () => void;
  #state: WebRtcCallState = { kind: 'offered' };
  #waiting: Uint8Array[] | null = [];

  constructor(deps: WebRtcCallDeps, caller: WebRtcCaller, over: () => void) {
    this.#deps = deps;
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
    const { principal } = this.caller;
    // A client without a data channel gets no events, and so no token to resume with.
    const caller: CallerConnection = { ...this.caller, rate, resumable: channel };
    const wire = new WebRtcEventWriter(this.#socket(peer), caller, peer, () => call.lane);
    const call: OmniCallSession = new OmniCallSession(this.#deps, caller, wire);
    const unwatch = this.#deps.watch(principal, () => this.closeGracefully(REVOKED));
    this.#state = { kind: 'live', peer, call, unwatch };
    if (!channel) call.begin();
  }

  audio(pcm: Uint8Array): void {
    if (this.#state.kind === 'live') this.#state.call.heard(pcm);
  }

  data(bytes: Uint8Array): void {
    if (this.#state.kind === 'live') this.#state.call.onMessage(bytes, true);
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
    } else this.releaseAdmission();
  }

  /** The call never started: it costs nothing, and its token becomes valid again. */
  releaseAdmission(): void {
    this.#state = { kind: 'over' };
    void this.caller.admission.release();
    this.caller.onNotBegun();
  }

  #socket(peer: Peer): Socket {
    return {
      requestId: this.caller.callId,
      bufferedBytes: 0,
      send: (frame) => {
        const bytes = frame as Uint8Array;
        if (this.#waiting === null) peer.data(bytes);
        else if (this.#waiting.length < MAX_PENDING_FRAMES) this.#waiting.push(bytes);
        return true;
      },
      close: () => peer.close(),
    };
  }
}

/** A page that never opens its channel reads no frames, so the queue is bounded. */
const MAX_PENDING_FRAMES = 50;

/** The engine passes the audio between the peer and the agent's lane, and drops interrupted audio itself. */
class WebRtcEventWriter extends OmniEventWriter {
  readonly #peer: Peer;
  readonly #lane: () => LaneRef | null;
  #joined: LaneRef | null = null;

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

import { ApiError } from '../../foundation/platform/errors.ts';
import type { Engine } from '../../media/engine/index.ts';
import type { DescribedPeer, LaneRef, Peer, PeerEnd, PeerListener } from './contract.ts';
import { DataChannelBuffer } from './data-channel-buffer.ts';
import { NO_STATS, PeerMedia } from './peer-media.ts';
import { type FromPeers, Kind, type ToPeers } from './protocol.ts';

/** Browsers and providers send a tenth of it. */
export const MOST_SDP_BYTES = 65_536;

export interface PeerConnectionOut {
  readonly engine: Pick<Engine, 'open'>;
  readonly source: number;
  say(message: ToPeers): void;
  frame(kind: Kind, bytes: Uint8Array): void;
  gone(): void;
  fault(message: string): void;
}

type State =
  | { readonly kind: 'describing'; resolve(described: DescribedPeer): void; reject(error: Error): void }
  | { readonly kind: 'opening' }
  | { readonly kind: 'sounding'; readonly sound: PeerMedia }
  | { readonly kind: 'connected'; readonly sound: PeerMedia }
  | { readonly kind: 'ending'; readonly sound: PeerMedia; readonly end: PeerEnd }
  | { readonly kind: 'over' };

interface Restart {
  resolve(sdp: string): void;
  reject(error: Error): void;
}

export class PeerConnection implements Peer {
  readonly #out: PeerConnectionOut;
  readonly #listener: PeerListener;
  readonly #messages: DataChannelBuffer;
  #state: State;
  #restart: Restart | null = null;

  constructor(
    out: PeerConnectionOut,
    listener: PeerListener,
    settled: Omit<Extract<State, { kind: 'describing' }>, 'kind'>,
  ) {
    this.#out = out;
    this.#listener = listener;
    this.#messages = new DataChannelBuffer((message) => listener.data?.(message));
    this.#state = { kind: 'describing', ...settled };
  }

  get opening(): boolean {
    return this.#state.kind === 'describing' || this.#state.kind === 'opening';
  }

  take(kind: number, payload: Buffer): void {
    if (kind === Kind.data) this.#messages.take(payload);
    else this.#onMessage(JSON.parse(payload.toString()) as FromPeers);
  }

  send = (pcm: Uint8Array): void => this.#sound?.send(pcm);
  clear = (): void => this.#sound?.clear();
  press = (digits: string): void => this.#sound?.press(digits);
  data = (message: Uint8Array | string): void =>
    typeof message === 'string'
      ? this.#out.frame(Kind.text, Buffer.from(message))
      : this.#out.frame(Kind.data, message);
  candidates = (lines: readonly string[]): void => this.#out.say({ type: 'candidates', lines });

  join(lane: LaneRef | null): void {
    this.#sound?.join(lane);
  }

  /** An unusable answer needs no error: the call ends by itself, as nothing connects. */
  answered(sdp: string): void {
    if (!tooLong(sdp)) this.#out.say({ type: 'answered', sdp });
  }

  restart(offer: string): Promise<string> {
    return new Promise((resolve, reject) => {
      if (tooLong(offer)) throw tooLongError();
      if (this.#sound === null)
        throw new ApiError('call_not_live', 'the call is not connected yet, or has ended');
      this.#restart?.reject(refused('another offer replaced this one'));
      this.#restart = { resolve, reject };
      this.#out.say({ type: 'restart', offer });
    });
  }

  /** The engine's side closes with the connection, after the last audio is sent. */
  close(): void {
    this.#out.say({ type: 'close' });
  }

  drop(error: Error): void {
    if (this.#state.kind !== 'describing') return;
    const { reject } = this.#state;
    this.#state = { kind: 'over' };
    this.#out.gone();
    this.#out.say({ type: 'close' });
    reject(error);
  }

  ended(end: PeerEnd): void {
    const state = this.#state;
    if (state.kind === 'over' || state.kind === 'ending') return;
    this.#restart?.reject(new ApiError('call_not_live', 'the call has ended'));
    this.#restart = null;
    this.#out.gone();
    if ((state.kind === 'sounding' || state.kind === 'connected') && state.sound.open) {
      this.#state = { kind: 'ending', sound: state.sound, end };
      state.sound.close();
      return;
    }
    this.#state = { kind: 'over' };
    if (state.kind === 'describing') state.reject(unavailable('the WebRTC connection could not be opened'));
    else this.#listener.ended(end, 'sound' in state ? state.sound.stats() : NO_STATS);
  }

  get #sound(): PeerMedia | null {
    return this.#state.kind === 'connected' ? this.#state.sound : null;
  }

  #onMessage(message: FromPeers): void {
    if (message.type === 'described') this.#described(message);
    else if (message.type === 'refused') this.drop(refused(message.message));
    else if (message.type === 'connected') void this.#connected(message);
    else if (message.type === 'channel_open') this.#listener.channelOpen?.();
    else if (message.type === 'restarted') this.#restarted(message);
    else if (message.type === 'ended') this.ended(message.end);
  }

  #described({ sdp, channel }: Extract<FromPeers, { type: 'described' }>): void {
    if (this.#state.kind !== 'describing') return;
    const { resolve } = this.#state;
    this.#state = { kind: 'opening' };
    resolve({ peer: this, sdp, channel });
  }

  #restarted({ sdp, message }: Extract<FromPeers, { type: 'restarted' }>): void {
    const restart = this.#restart;
    this.#restart = null;
    if (sdp === null) restart?.reject(refused(message));
    else restart?.resolve(sdp);
  }

  async #connected({ format, port }: Extract<FromPeers, { type: 'connected' }>): Promise<void> {
    if (!this.opening) return;
    const { engine, source } = this.#out;
    try {
      const sound = new PeerMedia(
        engine,
        { format, port, source },
        {
          audio: (pcm) => this.#listener.audio(pcm),
          key: (digit) => this.#listener.key?.(digit),
          closed: (fault) => this.#silent(fault),
        },
      );
      this.#state = { kind: 'sounding', sound };
      this.#out.say({ type: 'sound', port: await sound.port });
      if (this.#state.kind !== 'sounding') return;
      this.#state = { kind: 'connected', sound };
      this.#listener.connected(sound.rate);
      this.#messages.release();
    } catch (error) {
      this.#out.fault(`audio of a WebRTC call failed: ${(error as Error).message}`);
      this.#out.say({ type: 'close' });
      this.ended('failed');
    }
  }

  #silent(fault: string | null): void {
    const state = this.#state;
    if (fault !== null) this.#out.fault(`audio of a WebRTC call ended: ${fault}`);
    if (state.kind === 'ending') {
      this.#state = { kind: 'over' };
      this.#listener.ended(state.end, state.sound.stats());
    } else if (state.kind !== 'over' && fault !== null) this.#out.say({ type: 'close' });
  }
}

export const tooLong = (sdp: string): boolean => Buffer.byteLength(sdp) > MOST_SDP_BYTES;
export const tooLongError = (): ApiError => refused(`a description can have at most ${MOST_SDP_BYTES} bytes`);
const refused = (message: string) => new ApiError('invalid_request', message, { param: 'sdp' });
export const unavailable = (why: string) =>
  new ApiError('unavailable', `WebRTC calls are not available now: ${why}`, { retryAfter: 5 });

import type { LiveCall } from '../../conversation/calls/index.ts';
import type { Peer, PeerListener, PeerRate } from '../webrtc/index.ts';

/** The sound of one call: known before anybody has answered, and gone for good once. */
export class MsgappConnection implements PeerListener {
  /** The promise yields false when the call ended before both sides were connected. */
  readonly up: Promise<boolean>;
  readonly gone: Promise<void>;
  peer: Peer | null = null;
  /** The sample rate once the connection is up. */
  rate: PeerRate = 8000;
  /** Who hears; null until somebody has answered. */
  call: LiveCall | null = null;
  #isUp: (up: boolean) => void = () => undefined;
  #isGone: () => void = () => undefined;

  constructor() {
    this.up = new Promise((resolve) => {
      this.#isUp = resolve;
    });
    this.gone = new Promise((resolve) => {
      this.#isGone = resolve;
    });
  }

  connected(rate: PeerRate): void {
    this.rate = rate;
    this.#isUp(true);
  }

  audio(pcm: Uint8Array): void {
    this.call?.audio(pcm);
  }

  key(digit: string): void {
    this.call?.controls?.dtmf(digit);
  }

  ended(): void {
    this.#isUp(false);
    this.#isGone();
  }
}

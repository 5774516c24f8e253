import type { LiveCall } from '../../conversation/calls/index.ts';
import type { Peer, PeerListener, PeerRate } from '../webrtc/index.ts';

export class MsgappConnection implements PeerListener {
  readonly up: Promise<boolean>;
  readonly gone: Promise<void>;
  peer: Peer | null = null;
  rate: PeerRate = 8000;
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

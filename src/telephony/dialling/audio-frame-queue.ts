import type { MixerFormat } from './mixer-format.ts';

export class AudioFrameQueue {
  readonly #format: Pick<MixerFormat, 'bytesPerMs' | 'silence'>;
  readonly #frameBytes: number;
  readonly #bytes: Uint8Array;
  #from = 0;
  #length = 0;
  /** The number of frames requested while the queue holds audio that has not begun to play. */
  #waited = 0;
  #flows = false;

  constructor(mostMs: number, format: Pick<MixerFormat, 'bytesPerMs' | 'silence'>) {
    this.#format = format;
    this.#frameBytes = FRAME_MS * format.bytesPerMs;
    this.#bytes = new Uint8Array(mostMs * format.bytesPerMs);
  }

  /** A full queue drops its oldest audio. */
  push(frames: Uint8Array): void {
    const most = this.#bytes.length;
    const newest = frames.subarray(Math.max(0, frames.length - most));
    const over = Math.max(0, this.#length + newest.length - most);
    this.#from = (this.#from + over) % most;
    this.#length -= over;
    for (const byte of newest) {
      this.#bytes[(this.#from + this.#length) % most] = byte;
      this.#length += 1;
    }
  }

  clear(): void {
    this.#length = 0;
    this.#flows = false;
    this.#waited = 0;
  }

  /**
   * Returns one frame of 20 ms, or null when the queue is empty. Audio starts with a delay of 60 ms, which absorbs
   * jitter.
   */
  take(): Uint8Array | null {
    if (!this.#begins()) return null;
    const frame = new Uint8Array(this.#frameBytes).fill(this.#format.silence);
    const taken = Math.min(frame.length, this.#length);
    for (let at = 0; at < taken; at++)
      frame[at] = this.#bytes[(this.#from + at) % this.#bytes.length] as number;
    this.#from = (this.#from + taken) % this.#bytes.length;
    this.#length -= taken;
    if (this.#length === 0) this.clear();
    return frame;
  }

  #begins(): boolean {
    if (this.#flows) return true;
    if (this.#length === 0) return false;
    this.#waited += 1;
    this.#flows = this.#length >= BEGINS_MS * this.#format.bytesPerMs || this.#waited > BEGINS_MS / FRAME_MS;
    return this.#flows;
  }
}

export const FRAME_MS = 20;
const BEGINS_MS = 60;

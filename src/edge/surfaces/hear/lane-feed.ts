import type { Clock } from '../../../foundation/platform/clock.ts';
import type { HearEvent, Lane } from '../../../media/engine/index.ts';

/** The queue holds audio beyond a lane's capacity: half a minute at 48 kHz. */
const MAX_QUEUED_BYTES = 3 * 1024 * 1024;
const RETRY_MS = 20;

type QueueItem = { readonly pcm: Uint8Array } | { readonly verb: number } | 'close';

/** Passes a client's audio and controls to its lane in order, at any arrival rate. */
export class LaneFeed {
  readonly #lane: Lane<HearEvent>;
  readonly #clock: Clock;
  readonly #overflow: () => void;
  #waiting: QueueItem[] = [];
  #waitingBytes = 0;
  #stopRetry: (() => void) | null = null;
  #stopped = false;

  constructor(lane: Lane<HearEvent>, clock: Clock, overflow: () => void) {
    this.#lane = lane;
    this.#clock = clock;
    this.#overflow = overflow;
  }

  /** Copies `pcm` when it has to wait. */
  audio(pcm: Uint8Array): void {
    if (pcm.length === 0 || this.#stopped) return;
    if (this.#waiting.length === 0 && this.#give({ pcm })) return;
    if (this.#waitingBytes + pcm.length > MAX_QUEUED_BYTES) {
      this.#overflow();
      return;
    }
    this.#waitingBytes += pcm.length;
    this.#wait({ pcm: Uint8Array.from(pcm) });
  }

  control(verb: number): void {
    if (this.#stopped) return;
    if (this.#waiting.length > 0 || !this.#give({ verb })) this.#wait({ verb });
  }

  close(): void {
    if (this.#stopped) return;
    if (this.#waiting.length > 0) this.#wait('close');
    else this.#give('close');
  }

  stop(): void {
    this.#stopped = true;
    this.#stopRetry?.();
    this.#waiting = [];
  }

  #give(item: QueueItem): boolean {
    if (item === 'close') {
      this.#lane.close();
      return true;
    }
    return ('pcm' in item ? this.#lane.push(item.pcm) : this.#lane.control(item.verb)) !== 'full';
  }

  #wait(item: QueueItem): void {
    this.#waiting.push(item);
    this.#stopRetry ??= this.#clock.after(RETRY_MS, () => this.#retry());
  }

  #retry(): void {
    this.#stopRetry = null;
    let given = 0;
    for (const item of this.#waiting) {
      if (!this.#give(item)) break;
      if (item !== 'close' && 'pcm' in item) this.#waitingBytes -= item.pcm.length;
      given += 1;
    }
    this.#waiting.splice(0, given);
    if (this.#waiting.length > 0) this.#stopRetry = this.#clock.after(RETRY_MS, () => this.#retry());
  }
}

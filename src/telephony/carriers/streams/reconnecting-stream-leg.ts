import type { MediaFormat, MediaLeg, MediaSink, MediaStats } from '../contract.ts';
import type { StreamLeg } from './stream-leg.ts';

export class ReconnectingStreamLeg implements MediaLeg {
  readonly format: MediaFormat = { codec: 'ulaw', rate: 8000 };
  #now: StreamLeg;
  #sink: MediaSink | null = null;
  #received = 0;
  #sent = 0;
  #echo: MediaStats['echo'];

  constructor(first: StreamLeg) {
    this.#now = first;
  }

  follow(next: StreamLeg): void {
    const { received, sent, echo } = this.#now.stats();
    this.#received += received.frames;
    this.#sent += sent.frames;
    this.#echo = echo ?? this.#echo;
    this.#now = next;
    if (this.#sink !== null) next.bind(this.#sink);
  }

  bind(sink: MediaSink): void {
    this.#sink = sink;
    this.#now.bind(sink);
  }

  send(frames: Uint8Array): void {
    this.#now.send(frames);
  }

  clear(): void {
    this.#now.clear();
  }

  mark(name: string): void {
    this.#now.mark(name);
  }

  /** Counts the frames of all streams; loss and jitter are those of the current one. */
  stats(): MediaStats {
    const { received, sent, mos, echo } = this.#now.stats();
    const found = echo ?? this.#echo ?? echo;
    return {
      received: { ...received, frames: received.frames + this.#received },
      sent: { ...sent, frames: sent.frames + this.#sent },
      mos,
      ...(found === undefined ? {} : { echo: found }),
    };
  }
}

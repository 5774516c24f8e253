import type { Clock } from '../../../foundation/platform/clock.ts';
import { measureAudio } from '../../../media/engine/index.ts';
import type { MediaSink, MediaStats } from '../contract.ts';
import type { EchoMeter } from './echo-meter.ts';
import { estimatedMos, StreamStats } from './stream-stats.ts';

const MOST_WAITING = 100;
const FRAME_BYTES = 160;

/** The share of one direction's u-law samples at full scale. */
class Clipping {
  #samples = 0;
  #clipped = 0;

  heard(frames: Uint8Array): void {
    this.#samples += frames.length;
    this.#clipped += measureAudio('pcmu', frames).clipped;
  }

  get share(): number | null {
    return this.#samples === 0 ? null : this.#clipped / this.#samples;
  }
}

export class LegMedia {
  readonly #received: StreamStats;
  readonly #waiting: Uint8Array[] = [];
  readonly #clipping = { received: new Clipping(), sent: new Clipping() };
  #echoMeter: EchoMeter | null = null;
  #sent = 0;
  #sink: MediaSink | null = null;

  constructor(clock: Clock) {
    this.#received = new StreamStats(clock);
  }

  watchWith(echoMeter: EchoMeter): void {
    this.#echoMeter = echoMeter;
  }

  bind(sink: MediaSink): void {
    this.#sink = sink;
    for (const frame of this.#waiting.splice(0)) sink.audio(frame);
  }

  /** A frame that waits is copied, since the caller may reuse its bytes. */
  take(chunk: number, frame: Uint8Array): void {
    this.#received.frame(chunk);
    this.#clipping.received.heard(frame);
    this.#echoMeter?.heard(chunk, frame);
    if (this.#sink !== null) this.#sink.audio(frame);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(Uint8Array.from(frame));
  }

  sent(frames: Uint8Array): void {
    this.#clipping.sent.heard(frames);
    this.#echoMeter?.sent(frames);
    this.#sent += Math.ceil(frames.length / FRAME_BYTES);
  }

  clear(): void {
    this.#echoMeter?.clear();
  }

  end(): void {
    this.#echoMeter?.close();
  }

  marked(name: string): void {
    this.#sink?.marked?.(name);
  }

  stats(): MediaStats {
    const received = { ...this.#received.read(), clipped: this.#clipping.received.share };
    const counted = { lost: null, late: null, concealed: null, jitterMs: null };
    const sent = { frames: this.#sent, ...counted, clipped: this.#clipping.sent.share };
    const echo = this.#echoMeter === null ? {} : { echo: this.#echoMeter.echo };
    return { received, sent, mos: estimatedMos(received), ...echo };
  }
}

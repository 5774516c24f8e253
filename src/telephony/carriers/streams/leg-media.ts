import type { Clock } from '../../../foundation/platform/clock.ts';
import type { MediaSink, MediaStats } from '../contract.ts';
import { Clipping } from './clipping.ts';
import type { EchoMeter } from './echo-meter.ts';
import { estimatedMos, StreamStats } from './stream-stats.ts';

/** Frames that wait for a sink: two seconds. */
const MOST_WAITING = 100;
const FRAME_BYTES = 160;

/** A call's u-law over WebSocket: what comes waits until there is a sink, and both ways are counted. */
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

  /** Measures the echo of our audio from now on. */
  watchWith(echoMeter: EchoMeter): void {
    this.#echoMeter = echoMeter;
  }

  bind(sink: MediaSink): void {
    this.#sink = sink;
    for (const frame of this.#waiting.splice(0)) sink.audio(frame);
  }

  /** The other side's. What waits is a copy: the caller's bytes may be used again. */
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

  /** Drops audio that was sent and not played yet. */
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

import { type Engine, echoLane, type Lane } from '../../../media/engine/index.ts';
import { FrameBuffer } from '../../../media/wire/index.ts';
import type { LineEcho } from '../contract.ts';
import { SILENCE } from '../tones.ts';

/** Returns null where the engine has no lane left for it. */
export type OpenEchoMeter = () => EchoMeter | null;

/** The limit of audio ahead of its time; the oldest beyond it counts as played. */
const MOST_AHEAD_MS = 2_000;
const BYTES_A_MS = 8;
const MOST_MISSING = 50;

/** Measures the echo of the sent audio in a media stream. The carrier plays at its own pace, which its frames show. */
export class EchoMeter {
  #lane: Lane | null = null;
  #ahead = new FrameBuffer();
  #newest = 0;
  #echo: LineEcho | null = null;

  /** Returns null when half of the lanes are in use: the rest is reserved for calls. */
  static open(engine: Pick<Engine, 'open' | 'stats'>): EchoMeter | null {
    const { lanes, slots } = engine.stats();
    if (lanes >= slots / 2) return null;
    const echoMeter = new EchoMeter();
    try {
      echoMeter.#lane = engine.open(echoLane, undefined, {
        audio: () => undefined,
        event: (echo) => {
          echoMeter.#echo = echo;
        },
        closed: () => {
          echoMeter.#lane = null;
        },
      });
    } catch {
      // The call goes on without the measurement.
      return null;
    }
    return echoMeter;
  }

  get echo(): LineEcho | null {
    return this.#echo;
  }

  sent(frames: Uint8Array): void {
    if (this.#lane === null) return;
    this.#ahead.add(frames);
    this.#ahead.trimTo(MOST_AHEAD_MS * BYTES_A_MS);
  }

  clear(): void {
    this.#ahead = new FrameBuffer();
  }

  /** Pairs a received frame with the audio that plays at its time. A gap in the numbers stands for missing frames. */
  heard(chunk: number, frame: Uint8Array): void {
    if (this.#lane === null) return;
    const missing = this.#newest > 0 && chunk > this.#newest ? chunk - this.#newest - 1 : 0;
    if (Number.isFinite(chunk)) this.#newest = Math.max(this.#newest, chunk);
    if (missing > 0) this.#silent(Math.min(missing, MOST_MISSING), frame.length);
    this.#both(frame);
  }

  close(): void {
    this.#lane?.close();
  }

  #silent(frames: number, length: number): void {
    const silence = new Uint8Array(length).fill(SILENCE);
    for (let at = 0; at < frames; at++) this.#both(silence);
  }

  #both(heard: Uint8Array): void {
    const both = new Uint8Array(2 * heard.length);
    both.set(this.#ahead.take(heard.length, SILENCE));
    both.set(heard, heard.length);
    this.#lane?.push(both);
  }
}

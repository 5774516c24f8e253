import { type Engine, echoLane, type Lane } from '../../../media/engine/index.ts';
import { FrameBuffer } from '../../../media/wire/index.ts';
import type { LineEcho } from '../contract.ts';
import { SILENCE } from '../tones.ts';

/** Opens an ear for one line; null: the engine has no room for another. */
export type OpenEchoMeter = () => EchoMeter | null;

/** The limit of audio ahead of its time; the oldest beyond it counts as played. */
const MOST_AHEAD_MS = 2_000;
const BYTES_A_MS = 8;
/** Frames that are missing at once, of which each is a silence as long as itself. */
const MOST_MISSING = 50;

/** Listens to a media stream for what was sent and comes back: the carrier plays in its own time, which its own frames tell. */
export class EchoMeter {
  #lane: Lane | null = null;
  #ahead = new FrameBuffer();
  #newest = 0;
  #echo: LineEcho | null = null;

  /** The result is null when half of the lanes are in use: the rest is reserved for calls. */
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
      // A call is carried without it, too.
      return null;
    }
    return echoMeter;
  }

  /** The last that was found; it stays known when the stream has ended. */
  get echo(): LineEcho | null {
    return this.#echo;
  }

  sent(frames: Uint8Array): void {
    if (this.#lane === null) return;
    this.#ahead.add(frames);
    this.#ahead.trimTo(MOST_AHEAD_MS * BYTES_A_MS);
  }

  /** Drops audio that was not played yet. */
  clear(): void {
    this.#ahead = new FrameBuffer();
  }

  /** A frame of the other side, by its number: what is played at its time belongs to it, and to each that is missing before it. */
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

import type { CallTransport } from './call-transport.ts';
import { FRAME_MS, FRAME_SAMPLES, gained, LINE_RATE, levelOf, noise, overUlaw } from './line-audio.ts';
import type { PlayoutBuffer } from './playout-buffer.ts';
import { SeededRandom } from './seeded-random.ts';

export interface EchoPath {
  readonly db: number;
  readonly delayMs: number;
}

export interface UplinkQuality {
  readonly loss?: number;
  /** The delay of frames varies up to this; their order is kept. */
  readonly jitterMs?: number;
  readonly noiseDbfs?: number;
  readonly seed?: number;
  /** The drift of the caller's sound card in parts per million. */
  readonly millionths?: number;
}

const NOISE_SECONDS = 5;
const HALF_WIDTH = 16;

export class Microphone {
  readonly spoken: Int16Array[] = [];
  echo: EchoPath | null = null;
  readonly #wire: CallTransport;
  readonly #quality: UplinkQuality;
  readonly #playout: PlayoutBuffer;
  readonly #chance: SeededRandom;
  readonly #noise: Int16Array | null;
  readonly #frameMs: number;
  #line: { samples: Int16Array; at: number; began: (at: number) => void; unsaid: (why: Error) => void }[] =
    [];
  #arrives = 0;

  constructor(wire: CallTransport, quality: UplinkQuality, playout: PlayoutBuffer) {
    const { seed = 1, noiseDbfs, millionths = 0 } = quality;
    this.#wire = wire;
    this.#quality = quality;
    this.#playout = playout;
    this.#chance = new SeededRandom(seed);
    this.#frameMs = FRAME_MS * (1 + millionths / 1e6);
    this.#noise = noiseDbfs === undefined ? null : atDbfs(noise(NOISE_SECONDS, seed), noiseDbfs);
  }

  /**
   * Queues audio behind the current one. Resolves with the time of its first sample once all is spoken. Rejects where
   * the call ends before; the rejection may stay unhandled.
   */
  say(samples: Int16Array): Promise<number> {
    const said = new Promise<number>((resolve, reject) =>
      this.#line.push({ samples, at: 0, began: resolve, unsaid: reject }),
    );
    said.catch(() => undefined);
    return said;
  }

  mute(why: Error): void {
    for (const { unsaid } of this.#line.splice(0)) unsaid(why);
  }

  send(began: number, now: number): void {
    const due = Math.floor((now - began) / this.#frameMs);
    while (this.spoken.length < due) this.#sendFrame(began + this.spoken.length * this.#frameMs);
  }

  #sendFrame(at: number): void {
    const frame = new Int16Array(FRAME_SAMPLES);
    const clip = this.#line[0];
    if (clip !== undefined) {
      frame.set(clip.samples.subarray(clip.at, clip.at + FRAME_SAMPLES));
      if (clip.at === 0) clip.began(at);
      clip.at += FRAME_SAMPLES;
      if (clip.at >= clip.samples.length) this.#line.shift();
    }
    const sent = this.#overLine(this.echo === null ? frame : this.#withEcho(frame, at, this.echo));
    this.spoken.push(sent);
    this.#deliver(sent);
  }

  #overLine(frame: Int16Array): Int16Array {
    const { loss = 0 } = this.#quality;
    if (loss > 0 && this.#chance.next() < loss) return new Int16Array(FRAME_SAMPLES);
    const hiss = this.#noise;
    if (hiss === null) return frame;
    const from = (this.spoken.length * FRAME_SAMPLES) % (hiss.length - FRAME_SAMPLES);
    return overUlaw(frame.map((sample, i) => sample + (hiss[from + i] as number)));
  }

  #deliver(frame: Int16Array): void {
    const { jitterMs = 0 } = this.#quality;
    if (jitterMs === 0) {
      this.#wire.audio(frame);
      return;
    }
    const now = performance.now();
    this.#arrives = Math.max(this.#arrives, now + this.#chance.next() * jitterMs);
    setTimeout(() => this.#wire.audio(frame), this.#arrives - now);
  }

  #withEcho(frame: Int16Array, at: number, { db, delayMs }: EchoPath): Int16Array {
    const back = gained(this.#sounded(at - delayMs), db);
    return overUlaw(frame.map((sample, i) => sample + (back[i] as number)));
  }

  /**
   * Returns a frame of the loudspeaker's output. Where the sound card's clock drifts, it interpolates between the
   * played samples.
   */
  #sounded(from: number): Int16Array {
    if (this.#frameMs === FRAME_MS) return this.#playout.sounded(from, FRAME_SAMPLES);
    const at = (from * LINE_RATE) / 1000;
    const first = Math.floor(at);
    const played = this.#playout.sounded(
      ((first - HALF_WIDTH) * 1000) / LINE_RATE,
      FRAME_SAMPLES + 2 * HALF_WIDTH + 1,
    );
    const taps = between(at - first);
    return Int16Array.from({ length: FRAME_SAMPLES }, (_, i) =>
      Math.round(taps.reduce((sum, tap, k) => sum + tap * (played[i + k] as number), 0)),
    );
  }
}

function between(fraction: number): number[] {
  return Array.from({ length: 2 * HALF_WIDTH + 1 }, (_, k) => {
    const x = Math.PI * (k - HALF_WIDTH - fraction);
    return (x === 0 ? 1 : Math.sin(x) / x) * (0.5 + 0.5 * Math.cos(x / (HALF_WIDTH + 1)));
  });
}

const atDbfs = (samples: Int16Array, dbfs: number): Int16Array => gained(samples, dbfs - levelOf(samples));

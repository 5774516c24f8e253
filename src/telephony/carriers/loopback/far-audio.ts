import type { Clock } from '../../../foundation/platform/clock.ts';
import { FrameBuffer } from '../../../media/wire/index.ts';
import { SILENCE } from '../tones.ts';
import { type EchoOfFar, FarEcho } from './far-echo.ts';

const FRAME_MS = 20;
const FRAME_BYTES = 160;
/** The number of frames that are sent at once after a pause of the process; the rest is lost, as on a real line. */
const MOST_AT_ONCE = 25;
/** The bound is above the audio that a sender may be ahead. */
const MOST_FED_BYTES = 8 * 500;
/** The u-law magnitude above which audio counts as heard, about -36 dB; below it is line noise. */
const HEARD_FROM = 0x24;

const isHeard = (sample: number): boolean => (~sample & 0x7f) >= HEARD_FROM;

export interface FarAudioOptions {
  readonly clock: Clock;
  readonly echo?: EchoOfFar | null;
  readonly send: (frame: Uint8Array) => void;
  readonly heard?: ((sound: Uint8Array) => void) | undefined;
  readonly cleared?: (() => void) | undefined;
  readonly marked: (name: string) => void;
}

export class FarAudio {
  readonly #options: FarAudioOptions;
  readonly #silence = new Uint8Array(FRAME_BYTES).fill(SILENCE);
  readonly #echo: FarEcho | null;
  #began = 0;
  #sent = 0;
  #playing: { readonly sound: Uint8Array; at: number; readonly done: () => void } | null = null;
  #fed = new FrameBuffer();
  #playedUntil = 0;
  #hearsUntil = 0;
  #marks: { readonly name: string; readonly at: number }[] = [];
  #stop: () => void = () => undefined;
  #muted = false;

  constructor(options: FarAudioOptions) {
    this.#options = options;
    this.#echo = options.echo ? new FarEcho(options.echo) : null;
  }

  start(): void {
    this.#began = this.#options.clock.monotonic();
    this.#playedUntil = this.#began;
    this.#tick();
  }

  stop(): void {
    this.#stop();
  }

  mute(on: boolean): void {
    this.#muted = on;
  }

  say(sound: Uint8Array): Promise<void> {
    this.#playing?.done();
    return new Promise((done) => {
      this.#playing = { sound, at: 0, done };
    });
  }

  feed(sound: Uint8Array | null): void {
    if (sound === null) this.#fed = new FrameBuffer();
    else this.#fed.add(sound);
    this.#fed.trimTo(MOST_FED_BYTES);
  }

  hush(): void {
    this.#playing?.done();
    this.#playing = null;
  }

  play(sound: Uint8Array): void {
    const from = Math.max(this.#options.clock.monotonic(), this.#playedUntil);
    this.#playedUntil = from + sound.length / 8;
    this.#echo?.play(sound, from);
    this.#options.heard?.(sound);
    const last = sound.findLastIndex(isHeard);
    if (last >= 0) this.#hearsUntil = from + (last + 1) / 8;
  }

  mark(name: string): void {
    this.#marks.push({ name, at: this.#playedUntil });
  }

  clear(): void {
    this.#playedUntil = Math.min(this.#playedUntil, this.#options.clock.monotonic());
    this.#hearsUntil = Math.min(this.#hearsUntil, this.#playedUntil);
    this.#echo?.cut(this.#playedUntil);
    this.#options.cleared?.();
    for (const { name } of this.#marks.splice(0)) this.#options.marked(name);
  }

  get hearsUntil(): number {
    return this.#hearsUntil;
  }

  #tick(): void {
    const { clock } = this.#options;
    const due = Math.floor((clock.monotonic() - this.#began) / FRAME_MS) + 1;
    if (due - this.#sent > MOST_AT_ONCE) this.#sent = due - MOST_AT_ONCE;
    while (this.#sent < due) {
      this.#sent += 1;
      const frame = this.#frame();
      const at = this.#began + (this.#sent - 1) * FRAME_MS;
      this.#options.send(this.#echo === null ? frame : this.#echo.into(frame, at));
    }
    const now = clock.monotonic();
    const played = this.#marks.filter(({ at }) => at <= now);
    this.#marks = this.#marks.filter(({ at }) => at > now);
    for (const { name } of played) this.#options.marked(name);
    const next = this.#began + this.#sent * FRAME_MS - now;
    this.#stop = clock.after(Math.max(1, next), () => this.#tick());
  }

  #frame(): Uint8Array {
    const playing = this.#playing;
    if (this.#muted) return this.#silence;
    if (playing === null) return this.#fed.take(FRAME_BYTES, SILENCE);
    const frame = playing.sound.subarray(playing.at, playing.at + FRAME_BYTES);
    playing.at += FRAME_BYTES;
    if (playing.at >= playing.sound.length) {
      this.#playing = null;
      playing.done();
    }
    if (frame.length === FRAME_BYTES) return frame;
    const whole = this.#silence.slice();
    whole.set(frame);
    return whole;
  }
}

import type { Clock } from '../../foundation/platform/clock.ts';
import { measureAudio } from '../../media/engine/index.ts';
import type { MediaLeg } from '../carriers/index.ts';
import type { MediaHandler } from './call-media.ts';

export interface VoicemailMediaHandlerOptions {
  readonly clock: Clock;
  readonly maxMs: number;
  /** A silence of this length ends the message, also before its first word. */
  readonly silenceMs: number;
  readonly heard?: (piece: Uint8Array) => void;
  /** The listener is called once, as soon as the caller has spoken. */
  readonly spoke: () => void;
  /**
   * The listener is called once, at the end, with u-law at 8 kHz from the tone to the last word, or with null when
   * the caller did not speak.
   */
  readonly done: (message: Uint8Array | null) => void;
}

const BYTES_A_MS = 8;
const FRAME_BYTES = 160;
const FRAME_MS = 20;
/** The timer ends the message also on a line without any frames. */
const LOOK_MS = 500;
/** A click is shorter than the least speech in a message. */
const LEAST_SPEECH_MS = 300;
const AFTER_MS = 500;
/** Speech is louder than the line's noise by this factor, and above the least level. */
const ABOVE_NOISE = 3;
const LEAST_LEVEL = 150;
/** The factor by which the noise estimate may grow per frame: a tenth in a second. */
const NOISE_GROWS = 1.002;
const ENDING_KEY = '#';

export class VoicemailMediaHandler implements MediaHandler {
  readonly #options: VoicemailMediaHandlerOptions;
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;
  #rest = new Uint8Array(0);
  #noise = Number.POSITIVE_INFINITY;
  #speechMs = 0;
  #spokenTo = 0;
  #quietSince: number;
  #over = false;
  #stop: () => void = () => undefined;

  constructor(options: VoicemailMediaHandlerOptions) {
    this.#options = options;
    this.#quietSince = options.clock.monotonic();
  }

  enter(_leg: MediaLeg): void {
    this.#quietSince = this.#options.clock.monotonic();
    this.#look();
  }

  audio(frames: Uint8Array): void {
    if (this.#over) return;
    const available = this.#options.maxMs * BYTES_A_MS - this.#bytes;
    const piece = frames.slice(0, available);
    this.#pieces.push(piece);
    this.#options.heard?.(piece);
    this.#bytes += piece.length;
    this.#hear(piece);
    if (piece.length === available) this.#end();
  }

  key(digit: string): void {
    if (digit === ENDING_KEY) this.#end();
  }

  leave(): void {
    this.#end();
  }

  #look(): void {
    const { clock, silenceMs } = this.#options;
    this.#stop = clock.after(LOOK_MS, () => {
      if (clock.monotonic() - this.#quietSince >= silenceMs) this.#end();
      else this.#look();
    });
  }

  #hear(piece: Uint8Array): void {
    const heard = Buffer.concat([this.#rest, piece]);
    let at = 0;
    for (; at + FRAME_BYTES <= heard.length; at += FRAME_BYTES) {
      const level = levelOf(heard.subarray(at, at + FRAME_BYTES));
      this.#noise = Math.min(level, Math.max(1, this.#noise * NOISE_GROWS));
      if (level > Math.max(LEAST_LEVEL, this.#noise * ABOVE_NOISE))
        this.#loud(this.#bytes - heard.length + at + FRAME_BYTES);
    }
    this.#rest = heard.subarray(at);
  }

  #loud(endsAt: number): void {
    const before = this.#speechMs;
    this.#speechMs += FRAME_MS;
    this.#spokenTo = endsAt;
    this.#quietSince = this.#options.clock.monotonic();
    if (before < LEAST_SPEECH_MS && this.#speechMs >= LEAST_SPEECH_MS) this.#options.spoke();
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#stop();
    const whole = Buffer.concat(this.#pieces);
    const message = whole.subarray(0, this.#spokenTo + AFTER_MS * BYTES_A_MS);
    this.#options.done(this.#speechMs < LEAST_SPEECH_MS ? null : message);
  }
}

export function messageOf(sound: Uint8Array, clock: Clock): Uint8Array | null {
  let message: Uint8Array | null = null;
  const part = new VoicemailMediaHandler({
    clock,
    maxMs: Math.ceil(sound.length / BYTES_A_MS) + 1,
    silenceMs: Number.POSITIVE_INFINITY,
    spoke: () => undefined,
    done: (found) => {
      message = found;
    },
  });
  part.audio(sound);
  part.leave();
  return message;
}

function levelOf(frame: Buffer): number {
  const { energy, samples } = measureAudio('pcmu', frame);
  return 32_768 * Math.sqrt(energy / samples);
}

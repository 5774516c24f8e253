import { addAudio, convertAudio, SAMPLE_BYTES } from '../../../media/engine/index.ts';

export interface EchoOfFar {
  readonly delay_ms: number;
  readonly db: number;
}

const BYTES_A_MS = 8;

export class FarEcho {
  readonly #delayMs: number;
  readonly #gain: number;
  #played: { readonly sound: Uint8Array; readonly from: number }[] = [];

  constructor({ delay_ms: delayMs, db }: EchoOfFar) {
    this.#delayMs = delayMs;
    this.#gain = 10 ** (db / 20);
  }

  play(sound: Uint8Array, from: number): void {
    this.#played.push({ sound: Uint8Array.from(sound), from });
  }

  cut(at: number): void {
    this.#played = this.#played.map(({ sound, from }) => ({
      from,
      sound: sound.subarray(0, Math.max(0, Math.round((at - from) * BYTES_A_MS))),
    }));
  }

  into(frame: Uint8Array, at: number): Uint8Array {
    const heard = at - this.#delayMs;
    this.#played = this.#played.filter(({ sound, from }) => from + sound.length / BYTES_A_MS > heard);
    const mixed = convertAudio('pcmu', frame, 'pcm16');
    for (const { sound, from } of this.#played) {
      const offset = Math.round((from - heard) * BYTES_A_MS);
      const first = Math.max(0, -offset);
      const piece = sound.subarray(first, Math.max(first, frame.length - offset));
      const target = { pcm: mixed.subarray(Math.max(0, offset) * SAMPLE_BYTES.pcm16) };
      addAudio(target, { pcm: convertAudio('pcmu', piece, 'pcm16') }, { gain: this.#gain });
    }
    return convertAudio('pcm16', mixed, 'pcmu');
  }
}

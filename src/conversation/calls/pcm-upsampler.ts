/** Raises PCM16 of 8 or 16 kHz to 24 kHz, which every realtime server takes. */
const UP = 3;
/** Taps of each of the three phases: images of the caller's voice stay 60 dB below it. */
const TAPS = 24;
const SAMPLE_BYTES = 2;

export class PcmUpsampler {
  readonly #step: number;
  readonly #history = new Float32Array(TAPS - 1);
  #phase = 0;

  /** The rate is a divisor of 24,000 or two thirds of it: every `step`-th of three samples for one is kept. */
  constructor(rate: 8_000 | 16_000 | 24_000) {
    this.#step = rate / 8_000;
  }

  take(pcm: Uint8Array): Uint8Array {
    if (this.#step === UP) return Uint8Array.from(pcm);
    const given = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.length);
    const samples = new Float32Array(TAPS - 1 + pcm.length / SAMPLE_BYTES);
    samples.set(this.#history);
    for (let at = TAPS - 1; at < samples.length; at++)
      samples[at] = given.readInt16LE((at - TAPS + 1) * SAMPLE_BYTES);
    const raised: number[] = [];
    let at = this.#phase;
    for (const end = (samples.length - TAPS + 1) * UP; at < end; at += this.#step) {
      const newest = Math.floor(at / UP) + TAPS - 1;
      let sum = 0;
      for (let tap = 0; tap < TAPS; tap++)
        sum += (KERNEL[tap * UP + (at % UP)] as number) * (samples[newest - tap] as number);
      raised.push(Math.max(-32_768, Math.min(32_767, Math.round(sum))));
    }
    this.#phase = at - (samples.length - TAPS + 1) * UP;
    this.#history.set(samples.subarray(samples.length - TAPS + 1));
    const made = Buffer.alloc(raised.length * SAMPLE_BYTES);
    for (const [index, sample] of raised.entries()) made.writeInt16LE(sample, index * SAMPLE_BYTES);
    return made;
  }
}

/** A windowed sinc with its edge just below half of the lower rate. */
const KERNEL = Float32Array.from({ length: TAPS * UP }, (_, at) => {
  const middle = (TAPS * UP - 1) / 2;
  const x = (at - middle) / UP;
  const edge = 0.92;
  const sinc = x === 0 ? 1 : Math.sin(Math.PI * edge * x) / (Math.PI * edge * x);
  const angle = (2 * Math.PI * at) / (TAPS * UP - 1);
  return edge * sinc * (0.42 - 0.5 * Math.cos(angle) + 0.08 * Math.cos(2 * angle));
});

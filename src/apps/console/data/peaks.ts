/**
 * Each peak is the loudest sample of its interval, from 0 to 1: the caller is the left channel, the agent the right.
 */
export interface Peaks {
  readonly seconds: number;
  readonly caller: Float32Array;
  readonly agent: Float32Array;
}

export const STRETCHES = 400;
const FULL = 32_768;
const FRAME_BYTES = 4;
const PCM = 1;

export class NotPlainWav extends Error {}

interface Form {
  readonly rate: number;
  readonly frames: number;
  readonly from: number;
}

const nameAt = (view: DataView, at: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((nth) => view.getUint8(at + nth)));

function formOf(bytes: Uint8Array, total: number): Form {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 12 || nameAt(view, 0) !== 'RIFF' || nameAt(view, 8) !== 'WAVE')
    throw new NotPlainWav();
  let rate = 0;
  for (let at = 12; at + 8 <= bytes.byteLength; ) {
    const name = nameAt(view, at);
    const size = view.getUint32(at + 4, true);
    const from = at + 8;
    if (name === 'fmt ') {
      const plain = view.getUint16(from, true) === PCM && view.getUint16(from + 14, true) === 16;
      if (!plain || view.getUint16(from + 2, true) !== 2) throw new NotPlainWav();
      rate = view.getUint32(from + 4, true);
    }
    if (name === 'data' && rate > 0)
      return { rate, from, frames: Math.floor(Math.min(size, total - from) / FRAME_BYTES) };
    at = from + size + (size % 2);
  }
  throw new NotPlainWav();
}

export class WavPeaks {
  readonly #caller = new Float32Array(STRETCHES);
  readonly #agent = new Float32Array(STRETCHES);
  #form: Form | null = null;
  #frame = 0;
  #rest = new Uint8Array(0);

  push(part: Uint8Array, total: number): Peaks {
    let bytes = part;
    if (this.#form === null) {
      this.#form = formOf(part, total);
      bytes = part.subarray(this.#form.from);
    }
    const joined = new Uint8Array(this.#rest.byteLength + bytes.byteLength);
    joined.set(this.#rest);
    joined.set(bytes, this.#rest.byteLength);
    const whole = joined.byteLength - (joined.byteLength % FRAME_BYTES);
    this.#rest = joined.slice(whole);
    this.#measure(new DataView(joined.buffer, 0, whole), this.#form.frames);
    const { frames, rate } = this.#form;
    return { seconds: frames / rate, caller: this.#caller.slice(), agent: this.#agent.slice() };
  }

  #measure(view: DataView, frames: number): void {
    for (let at = 0; at < view.byteLength && this.#frame < frames; at += FRAME_BYTES) {
      const stretch = Math.floor((this.#frame * STRETCHES) / frames);
      raise(this.#caller, stretch, view.getInt16(at, true) / FULL);
      raise(this.#agent, stretch, view.getInt16(at + 2, true) / FULL);
      this.#frame += 1;
    }
  }
}

export function peaksOf(sides: readonly [Float32Array, Float32Array], seconds: number): Peaks {
  const [caller, agent] = sides.map((samples) => {
    const peaks = new Float32Array(STRETCHES);
    samples.forEach((sample, at) => {
      raise(peaks, Math.floor((at * STRETCHES) / samples.length), sample);
    });
    return peaks;
  }) as [Float32Array, Float32Array];
  return { seconds, caller, agent };
}

function raise(peaks: Float32Array, at: number, sample: number): void {
  const loud = Math.abs(sample);
  if (loud > (peaks[at] as number)) peaks[at] = loud;
}

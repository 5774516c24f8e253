import { addon } from './addon.ts';

/** Audio as it lies on a wire or in a file. `pcm16` is little-endian, `pcmu` and `pcma` are G.711. */
export type WireFormat = 'pcm16' | 'pcmu' | 'pcma';

/** The numbers of `native/dsp/wire_audio.h`. */
const FORMATS = { pcm16: 0, pcmu: 1, pcma: 2 } as const;
export const SAMPLE_BYTES = { pcm16: 2, pcmu: 1, pcma: 1 } as const;
/** The byte that silence consists of. */
export const SILENCE_BYTE = { pcm16: 0, pcmu: 0xff, pcma: 0xd5 } as const;
const FULL_SCALE = 32_768;

export function convertAudio(from: WireFormat, bytes: Uint8Array, to: WireFormat): Buffer {
  const samples = Math.floor(bytes.length / SAMPLE_BYTES[from]);
  const out = Buffer.allocUnsafe(samples * SAMPLE_BYTES[to]);
  addon().convertAudio(FORMATS[from], bytes, FORMATS[to], out);
  return out;
}

/** Adds up the voices in `length` bytes. A voice that is shorter is silent after its end. */
export function mixAudio(format: WireFormat, voices: readonly Uint8Array[], length: number): Buffer {
  const out = Buffer.alloc(length);
  addon().mixAudio(FORMATS[format], voices, out);
  return out;
}

export interface AudioMeasure {
  readonly samples: number;
  /** The sum of the squares; full scale is 1. */
  readonly energy: number;
  readonly clipped: number;
  /** Samples before the first and after the last that is louder than the peak: all, where none is. */
  readonly quietBefore: number;
  readonly quietAfter: number;
}

const measured = new Float64Array(4);

export function measureAudio(format: WireFormat, bytes: Uint8Array, peak = 0): AudioMeasure {
  addon().measureAudio(FORMATS[format], bytes, peak, measured);
  const [energy, clipped, quietBefore, quietAfter] = measured as unknown as [number, number, number, number];
  const samples = Math.floor(bytes.length / SAMPLE_BYTES[format]);
  return { samples, energy, clipped, quietBefore, quietAfter };
}

/** One channel of interleaved PCM16. The defaults are mono and its only channel. */
export interface AudioChannel {
  readonly pcm: Uint8Array;
  readonly channels?: number;
  readonly channel?: number;
}

const placed = ({ pcm, channel = 0 }: AudioChannel): Uint8Array =>
  channel === 0 ? pcm : pcm.subarray(channel * SAMPLE_BYTES.pcm16);

/** Makes `target` the saturated sum of itself times `keep` and of `source` times `gain`. */
export function addAudio(
  target: AudioChannel,
  source: AudioChannel,
  { gain = 1, keep = 1 }: { readonly gain?: number; readonly keep?: number } = {},
): void {
  const { channels: stride = 1 } = source;
  addon().addAudio(placed(target), target.channels ?? 1, keep, placed(source), stride, gain);
}

/** The two sides have the same length. */
export function interleave(left: Uint8Array, right: Uint8Array): Buffer {
  const pcm = Buffer.allocUnsafe(left.length * 2);
  addAudio({ pcm, channels: 2 }, { pcm: left }, { keep: 0 });
  addAudio({ pcm, channels: 2, channel: 1 }, { pcm: right }, { keep: 0 });
  return pcm;
}

export interface Tone {
  readonly hertz: number;
  readonly rate: number;
  /** Full scale is 1. */
  readonly level: number;
  /** The level falls by e to this power in a second. */
  readonly decay?: number;
  /** The samples since the tone began. */
  readonly began?: number;
}

export function addTone(
  target: AudioChannel,
  { hertz, rate, level, decay = 0, began = 0 }: Tone,
  { keep = 1 }: { readonly keep?: number } = {},
): void {
  const { channels: stride = 1 } = target;
  addon().addTone(placed(target), stride, keep, hertz / rate, level * FULL_SCALE, decay / rate, began);
}

/** Averages the channels of interleaved PCM16. */
export function downmix(pcm: Uint8Array, channels: number): Buffer {
  const out = Buffer.allocUnsafe(Math.floor(pcm.length / 2 / channels) * 2);
  addon().downmixAudio(pcm, channels, out);
  return out;
}

/** Full scale is 1. */
export function floatSamples({ pcm, channels = 1, channel = 0 }: AudioChannel): Float32Array {
  const out = new Float32Array(Math.floor(pcm.length / 2 / channels));
  addon().floatAudio(placed({ pcm, channel }), channels, out);
  return out;
}

/** Resamples a whole recording of PCM16 on the calling thread. */
export function resample(pcm: Uint8Array, from: number, to: number): Buffer {
  const out = Buffer.alloc(Math.round((Math.floor(pcm.length / 2) * to) / from) * 2);
  addon().resampleAudio(pcm, from, to, out);
  return out;
}

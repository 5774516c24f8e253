import type { SeededRandom } from '../../src/apps/caller/index.ts';
import { gained, LINE_RATE, levelOf, overUlaw } from '../../src/apps/caller/index.ts';

export { gained, LINE_RATE, levelOf, overUlaw } from '../../src/apps/caller/index.ts';

export const samplesOf = (ms: number): number => Math.round((ms * LINE_RATE) / 1000);
export const msOf = (samples: number): number => (samples * 1000) / LINE_RATE;
export const silence = (ms: number): Int16Array => new Int16Array(samplesOf(ms));

export function joined(...parts: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export function mixed(one: Int16Array, other: Int16Array): Int16Array {
  return one.map((sample, at) => Math.max(-32768, Math.min(32767, sample + (other[at] ?? 0))));
}

export interface Line {
  readonly dbfs: number;
  /** The called side's noise, or null for a line that is digitally silent. */
  readonly noise: { readonly name: string; readonly dbfs: number } | null;
  readonly loss: number;
}

const LOSSES = [0, 0, 0.005, 0.02];

export function lineOf(chance: SeededRandom, noises: readonly string[]): Line {
  const noisy = chance.next() < 0.7;
  return {
    dbfs: chance.between(-34, -16),
    noise: noisy ? { name: chance.pick(noises), dbfs: chance.between(-62, -42) } : null,
    loss: chance.pick(LOSSES),
  };
}

export function atLineLevel(voice: Int16Array, dbfs: number): Int16Array {
  const blocks: number[] = [];
  const block = samplesOf(20);
  for (let at = 0; at + block <= voice.length; at += block)
    blocks.push(levelOf(voice.subarray(at, at + block)));
  const loudest = Math.max(...blocks);
  const active = blocks.filter((level) => level > loudest - 30);
  const mean = 10 * Math.log10(active.reduce((sum, level) => sum + 10 ** (level / 10), 0) / active.length);
  return gained(voice, dbfs - mean);
}

/** Applies noise, lost packets and u-law to a whole call. A lost packet is silence, as in a carrier's stream. */
export function overLine(
  call: Int16Array,
  line: Line,
  noise: Int16Array | null,
  chance: SeededRandom,
): Int16Array {
  const heard = Int16Array.from(noise === null ? call : mixed(call, noise));
  const packet = samplesOf(20);
  for (let at = 0; at < heard.length; at += packet) {
    if (chance.next() < line.loss) heard.fill(0, at, at + packet);
  }
  return overUlaw(heard);
}

export function noiseFrom(
  recording: Int16Array,
  length: number,
  dbfs: number,
  chance: SeededRandom,
): Int16Array {
  const from = Math.floor(chance.next() * recording.length);
  const piece = Int16Array.from({ length }, (_, at) => recording[(from + at) % recording.length]!);
  return gained(piece, dbfs - levelOf(piece));
}

import { readFile } from 'node:fs/promises';
import { LINE_RATE, sineTone } from '../caller/index.ts';
import { readWav, wavOf } from './wav.ts';

export const readRecording = async (path: string): Promise<Int16Array> => soundIn(await readFile(path), path);

function soundIn(file: Buffer, name: string): Int16Array {
  const { rate, channels } = readWav(file, name);
  return toLineRate(channels[0] ?? new Int16Array(0), rate);
}

/** Loads a suite's sounds by name. Only `files` may be read. */
export const soundsOf =
  (folder: string, files?: ReadonlyMap<string, Buffer>) =>
  async (name: string): Promise<Int16Array> => {
    if (files === undefined) return await readRecording(`${folder}/${name}`);
    const file = files.get(name);
    if (file === undefined) throw new Error(`${name}: the audio file does not exist`);
    return soundIn(file, name);
  };

/** The mean of the samples is a simple low-pass filter, which suffices for a telephone. */
export function toLineRate(samples: Int16Array, rate: number): Int16Array {
  if (rate === LINE_RATE) return samples;
  const ratio = rate / LINE_RATE;
  return Int16Array.from({ length: Math.floor(samples.length / ratio) }, (_, at) => {
    const piece = samples.subarray(
      Math.floor(at * ratio),
      Math.max(Math.floor((at + 1) * ratio), Math.floor(at * ratio) + 1),
    );
    return piece.reduce((sum, sample) => sum + sample, 0) / piece.length;
  });
}

export function holdMusic(ms: number): Int16Array {
  const chords = [
    [262, 330, 392],
    [220, 262, 330],
    [175, 220, 262],
    [196, 247, 294],
  ];
  const out = new Int16Array(Math.round((ms * LINE_RATE) / 1000));
  const bar = LINE_RATE;
  for (let at = 0, n = 0; at < out.length; at += bar, n++)
    out.set(sineTone(1, ...(chords[n % 4] as number[])).subarray(0, Math.min(bar, out.length - at)), at);
  return out;
}

export const stereoWav = ({ caller, agent }: { caller: Int16Array; agent: Int16Array }): Buffer =>
  wavOf({ rate: LINE_RATE, channels: [caller, agent] });

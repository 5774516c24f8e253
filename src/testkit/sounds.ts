import { readFile } from 'node:fs/promises';
import { RATE, tone } from '../caller/index.ts';

/** A WAV file of 16-bit PCM as one channel of 8 kHz. */
export async function recording(path: string): Promise<Int16Array> {
  const file = await readFile(path);
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE')
    throw new Error(`${path}: it is no WAV file`);
  let format = { channels: 0, rate: 0, bits: 0 };
  for (let at = 12; at + 8 <= file.length; ) {
    const name = file.toString('latin1', at, at + 4);
    const size = Math.min(file.readUInt32LE(at + 4), file.length - at - 8);
    const body = file.subarray(at + 8, at + 8 + size);
    if (name === 'fmt ')
      format = { channels: body.readUInt16LE(2), rate: body.readUInt32LE(4), bits: body.readUInt16LE(14) };
    if (name === 'data') {
      if (format.bits !== 16) throw new Error(`${path}: a recording is WAV of 16-bit PCM`);
      return toLineRate(firstChannel(body, format.channels), format.rate);
    }
    at += 8 + size + (size % 2);
  }
  throw new Error(`${path}: there is no audio in it`);
}

function firstChannel(body: Buffer, channels: number): Int16Array {
  const frames = Math.floor(body.length / 2 / channels);
  return Int16Array.from({ length: frames }, (_, at) => body.readInt16LE(at * channels * 2));
}

/** Each sample is the mean of what it stands for: a plain low pass, enough for a telephone. */
export function toLineRate(samples: Int16Array, rate: number): Int16Array {
  if (rate === RATE) return samples;
  const ratio = rate / RATE;
  return Int16Array.from({ length: Math.floor(samples.length / ratio) }, (_, at) => {
    const piece = samples.subarray(
      Math.floor(at * ratio),
      Math.max(Math.floor((at + 1) * ratio), Math.floor(at * ratio) + 1),
    );
    return piece.reduce((sum, sample) => sum + sample, 0) / piece.length;
  });
}

/** What is played to those who wait: chords that change. */
export function music(ms: number): Int16Array {
  const chords = [
    [262, 330, 392],
    [220, 262, 330],
    [175, 220, 262],
    [196, 247, 294],
  ];
  const out = new Int16Array(Math.round((ms * RATE) / 1000));
  const bar = RATE;
  for (let at = 0, n = 0; at < out.length; at += bar, n++)
    out.set(tone(1, ...(chords[n % 4] as number[])).subarray(0, Math.min(bar, out.length - at)), at);
  return out;
}

/** One WAV file with the caller on the left and the agent on the right. */
export function stereoWav({ caller, agent }: { caller: Int16Array; agent: Int16Array }): Buffer {
  const length = Math.max(caller.length, agent.length);
  const data = Buffer.alloc(44 + length * 4);
  data.write('RIFF', 0, 'latin1');
  data.writeUInt32LE(data.length - 8, 4);
  data.write('WAVEfmt ', 8, 'latin1');
  data.writeUInt32LE(16, 16);
  data.writeUInt16LE(1, 20);
  data.writeUInt16LE(2, 22);
  data.writeUInt32LE(RATE, 24);
  data.writeUInt32LE(RATE * 4, 28);
  data.writeUInt16LE(4, 32);
  data.writeUInt16LE(16, 34);
  data.write('data', 36, 'latin1');
  data.writeUInt32LE(length * 4, 40);
  for (let at = 0; at < length; at++) {
    data.writeInt16LE(caller[at] ?? 0, 44 + at * 4);
    data.writeInt16LE(agent[at] ?? 0, 46 + at * 4);
  }
  return data;
}

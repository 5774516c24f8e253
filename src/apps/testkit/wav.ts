export interface WavAudio {
  readonly rate: number;
  readonly channels: readonly Int16Array[];
}

export function readWav(file: Buffer, name: string): WavAudio {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE')
    throw new Error(`${name} is not a WAV file`);
  let format = { channels: 0, rate: 0, bits: 0 };
  for (let at = 12; at + 8 <= file.length; ) {
    const chunk = file.toString('latin1', at, at + 4);
    const size = Math.min(file.readUInt32LE(at + 4), file.length - at - 8);
    const body = file.subarray(at + 8, at + 8 + size);
    if (chunk === 'fmt ')
      format = { channels: body.readUInt16LE(2), rate: body.readUInt32LE(4), bits: body.readUInt16LE(14) };
    if (chunk === 'data') {
      if (format.bits !== 16) throw new Error(`${name}: a recording must be a WAV file of 16-bit PCM`);
      return { rate: format.rate, channels: channelsOf(body, format.channels) };
    }
    at += 8 + size + (size % 2);
  }
  throw new Error(`${name}: the file has no audio`);
}

export function channelsOf(pcm: Buffer, count: number): Int16Array[] {
  const frames = Math.floor(pcm.length / 2 / count);
  return Array.from({ length: count }, (_, channel) =>
    Int16Array.from({ length: frames }, (_, at) => pcm.readInt16LE((at * count + channel) * 2)),
  );
}

export function wavOf({ rate, channels }: WavAudio): Buffer {
  const length = Math.max(...channels.map((channel) => channel.length));
  const frame = channels.length * 2;
  const file = Buffer.alloc(44 + length * frame);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(channels.length, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * frame, 28);
  file.writeUInt16LE(frame, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(length * frame, 40);
  for (const [number, channel] of channels.entries())
    for (const [at, sample] of channel.entries()) file.writeInt16LE(sample, 44 + at * frame + number * 2);
  return file;
}

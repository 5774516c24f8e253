import { wavHeader } from '../../src/media/codec/index.ts';

export const wavOf = (pcm: Buffer, rate: number): Buffer =>
  Buffer.concat([wavHeader({ sampleRate: rate, channels: 1, sample: 's16' }, pcm.length), pcm]);

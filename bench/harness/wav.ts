import { wavHeader } from '../../src/media/codec/index.ts';

/** One channel of PCM16 as a WAV file. */
export const wavOf = (pcm: Buffer, rate: number): Buffer =>
  Buffer.concat([wavHeader({ sampleRate: rate, channels: 1, sample: 's16' }, pcm.length), pcm]);

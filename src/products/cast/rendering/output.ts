import { ApiError } from '../../../foundation/platform/errors.ts';
import { encode, Mp3Encoder, wavHeader } from '../../../media/codec/index.ts';
import { RATE } from './take.ts';

export const AUDIO_FORMATS = ['mp3', 'wav', 'flac', 'opus'] as const;
export type AudioFormat = (typeof AUDIO_FORMATS)[number];

export const CONTENT_TYPES: Readonly<Record<AudioFormat, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  opus: 'audio/ogg',
};
const MP3_KILOBITS = 96;

export function checkFormat(format: AudioFormat, ffmpeg: string | null): void {
  if ((format === 'flac' || format === 'opus') && ffmpeg === null)
    throw new ApiError('unavailable', `This server has no encoder for ${format}; use wav.`);
}

export interface Encoding {
  readonly format: AudioFormat;
  readonly samples: number;
  readonly ffmpeg: string | null;
  readonly signal: AbortSignal;
}

export function encoded(
  pcm: AsyncIterable<Uint8Array>,
  { format, samples, ffmpeg, signal }: Encoding,
): AsyncIterable<Uint8Array> {
  if (format === 'wav') return asWav(pcm, samples);
  if (format === 'mp3') return asMp3(pcm);
  if (ffmpeg === null) throw new Error(`no encoder for ${format}`);
  return encode(ffmpeg, pcm, { format, sampleRate: RATE, channels: 1, signal });
}

async function* asWav(pcm: AsyncIterable<Uint8Array>, samples: number): AsyncGenerator<Uint8Array> {
  yield wavHeader({ sampleRate: RATE, channels: 1, sample: 's16' }, samples * 2);
  yield* pcm;
}

async function* asMp3(pcm: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const encoder = await Mp3Encoder.create({ sampleRate: RATE, kilobits: MP3_KILOBITS });
  for await (const chunk of pcm) {
    const bytes = encoder.encode(chunk);
    if (bytes.length > 0) yield bytes;
  }
  yield encoder.finish();
}

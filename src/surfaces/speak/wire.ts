/** What leaves: the format that was asked for, and how many milliseconds of speech its bytes hold. */
import { Mp3Encoder } from '../../codec/index.ts';
import type { SpeechFormat, SpeechRate } from '../../engine/index.ts';
import { ApiError } from '../../platform/errors.ts';

export type ResponseFormat = 'mp3' | 'g711_ulaw' | 'g711_alaw' | 'pcm';

export interface Wire {
  readonly format: ResponseFormat;
  /** What the engine is asked for. */
  readonly engine: SpeechFormat;
  readonly rate: SpeechRate;
  readonly contentType: string;
}

export const NATIVE_RATE = 24_000;
export const PHONE_RATE = 8_000;
/** Of `pcm`, when it is said; unsaid it is the native rate. */
export const PCM_RATES = [8000, 16_000] as const;
const isPcmRate = (rate: number): rate is (typeof PCM_RATES)[number] => PCM_RATES.some((one) => one === rate);
const MP3_KILOBITS = 64;

export function wireOf(format: ResponseFormat, asked: number | undefined): Wire {
  if (format === 'mp3') {
    if (asked !== undefined && asked !== NATIVE_RATE)
      throw badRate('mp3 takes no sample_rate: it is 24000 Hz');
    return { format, engine: 'pcm16', rate: NATIVE_RATE, contentType: 'audio/mpeg' };
  }
  if (format === 'pcm') {
    if (asked !== undefined && !isPcmRate(asked)) {
      throw badRate('pcm takes a sample_rate of 8000 or 16000; without one it is 24000 Hz');
    }
    return { format, engine: 'pcm16', rate: asked ?? NATIVE_RATE, contentType: 'audio/pcm' };
  }
  if (asked !== undefined && asked !== PHONE_RATE) throw badRate(`${format} is always 8000 Hz`);
  const engine = format === 'g711_ulaw' ? 'ulaw' : 'alaw';
  return { format, engine, rate: PHONE_RATE, contentType: 'audio/basic' };
}

const badRate = (message: string): ApiError =>
  new ApiError('invalid_request', message, { param: 'sample_rate' });

/** A piece of the answer with the speech in it that no earlier piece held. */
export interface Piece {
  readonly bytes: Buffer;
  readonly samples: number;
}

/** The engine's chunks as they leave. mp3 holds a few frames back: their samples count when they go. */
export async function* pieces(chunks: AsyncIterable<Uint8Array>, wire: Wire): AsyncGenerator<Piece, void> {
  if (wire.format !== 'mp3') {
    const width = wire.engine === 'pcm16' ? 2 : 1;
    for await (const chunk of chunks) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      yield { bytes, samples: bytes.length / width };
    }
    return;
  }
  const encoder = await Mp3Encoder.create({ sampleRate: NATIVE_RATE, kilobits: MP3_KILOBITS });
  let samples = 0;
  let spoken = false;
  for await (const chunk of chunks) {
    const pcm = new Int16Array(chunk.buffer, chunk.byteOffset, chunk.byteLength / 2);
    samples += pcm.length;
    spoken ||= pcm.length > 0;
    const bytes = encoder.encode(pcm);
    if (bytes.length === 0) continue;
    yield { bytes, samples };
    samples = 0;
  }
  if (!spoken) return; // an empty file is no answer to silence
  const bytes = encoder.finish();
  if (bytes.length > 0) yield { bytes, samples };
}

export const millisecondsOf = (samples: number, wire: Wire): number =>
  Math.round((samples * 1000) / wire.rate);

import { ApiError } from '../../../foundation/platform/errors.ts';
import { encode, Mp3Encoder, wavHeader } from '../../../media/codec/index.ts';
import { SPEECH_RATES, type SpeechFormat, type SpeechRate } from '../../../media/engine/index.ts';

export type ResponseFormat = 'mp3' | 'g711_ulaw' | 'g711_alaw' | 'pcm' | 'wav' | Encoded;
type Encoded = 'opus' | 'aac' | 'flac';

export interface OutputFormat {
  readonly format: ResponseFormat;
  readonly engine: SpeechFormat;
  readonly rate: SpeechRate;
  readonly contentType: string;
  readonly program?: string;
}

const ENCODED: Readonly<Record<Encoded, string>> = {
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
};
const isEncoded = (format: ResponseFormat): format is Encoded => Object.hasOwn(ENCODED, format);

export const NATIVE_RATE = 24_000;
export const PHONE_RATE = 8_000;
/** `pcm` is available at these rates on request; the default is the native rate. */
export const PCM_RATES = [8000, 16_000] as const;
const isPcmRate = (rate: number): rate is (typeof PCM_RATES)[number] => PCM_RATES.some((one) => one === rate);
const MP3_KILOBITS = 64;

/** Clients of other vendors get audio without a container, and WAV, at any rate that the engine speaks. */
export function anyOutputFormatOf(
  format: ResponseFormat,
  asked: number | undefined,
  ffmpeg: string | null = null,
): OutputFormat {
  const chosen = outputFormatOf(format, undefined, ffmpeg);
  if (asked === undefined || asked === chosen.rate) return chosen;
  const rate = SPEECH_RATES.find((one) => one === asked);
  if (rate === undefined || format === 'mp3' || isEncoded(format))
    throw sampleRateError(`${format} is not available at ${asked} Hz`);
  return { ...chosen, rate };
}

export function outputFormatOf(
  format: ResponseFormat,
  asked: number | undefined,
  ffmpeg: string | null = null,
): OutputFormat {
  if (format === 'wav' || isEncoded(format)) return containerFormatOf(format, asked, ffmpeg);
  if (format === 'mp3') {
    if (asked !== undefined && asked !== NATIVE_RATE)
      throw sampleRateError('sample_rate is not supported for mp3: it is always 24000 Hz');
    return { format, engine: 'pcm16', rate: NATIVE_RATE, contentType: 'audio/mpeg' };
  }
  if (format === 'pcm') {
    if (asked !== undefined && !isPcmRate(asked)) {
      throw sampleRateError('sample_rate for pcm must be 8000 or 16000; if omitted, it is 24000 Hz');
    }
    return { format, engine: 'pcm16', rate: asked ?? NATIVE_RATE, contentType: 'audio/pcm' };
  }
  if (asked !== undefined && asked !== PHONE_RATE) throw sampleRateError(`${format} is always 8000 Hz`);
  const engine = format === 'g711_ulaw' ? 'ulaw' : 'alaw';
  return { format, engine, rate: PHONE_RATE, contentType: 'audio/basic' };
}

/** A file has the engine's own rate, since it declares its rate. */
function containerFormatOf(
  format: 'wav' | Encoded,
  asked: number | undefined,
  ffmpeg: string | null = null,
): OutputFormat {
  if (asked !== undefined && asked !== NATIVE_RATE) {
    throw sampleRateError(`sample_rate is not supported for ${format}: it is always ${NATIVE_RATE} Hz`);
  }
  const wire = { format, engine: 'pcm16', rate: NATIVE_RATE } as const;
  if (format === 'wav') return { ...wire, contentType: 'audio/wav' };
  if (ffmpeg === null)
    throw new ApiError('unavailable', `This server has no encoder for ${format}; use wav.`);
  return { ...wire, contentType: ENCODED[format], program: ffmpeg };
}

const sampleRateError = (message: string): ApiError =>
  new ApiError('invalid_request', message, { param: 'sample_rate' });

export interface EncodedChunk {
  readonly bytes: Buffer;
  readonly samples: number;
}

const bytesOf = (chunk: Uint8Array): Buffer => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);

/** Encoders buffer audio: a sample counts when its chunk leaves. */
export function encodeSpeech(
  chunks: AsyncIterable<Uint8Array>,
  wire: OutputFormat,
): AsyncGenerator<EncodedChunk, void> {
  if (wire.format === 'mp3') return encodeMp3(chunks);
  if (wire.program !== undefined) return encodeWithProgram(chunks, wire, wire.program);
  return encodePcm(chunks, wire);
}

async function* encodePcm(
  chunks: AsyncIterable<Uint8Array>,
  wire: OutputFormat,
): AsyncGenerator<EncodedChunk, void> {
  const width = wire.engine === 'pcm16' ? 2 : 1;
  let header =
    wire.format === 'wav' ? wavHeader({ sampleRate: wire.rate, channels: 1, sample: 's16' }) : null;
  for await (const chunk of chunks) {
    const bytes = bytesOf(chunk);
    yield { bytes: header === null ? bytes : Buffer.concat([header, bytes]), samples: bytes.length / width };
    header = null;
  }
}

async function* encodeWithProgram(
  chunks: AsyncIterable<Uint8Array>,
  { format, rate }: OutputFormat,
  program: string,
): AsyncGenerator<EncodedChunk, void> {
  let samples = 0;
  async function* counted(): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of chunks) {
      samples += chunk.byteLength / 2;
      yield chunk;
    }
  }
  const options = { format: format as Encoded, sampleRate: rate, channels: 1 } as const;
  for await (const bytes of encode(program, counted(), options)) {
    yield { bytes, samples };
    samples = 0;
  }
}

async function* encodeMp3(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EncodedChunk, void> {
  const encoder = await Mp3Encoder.create({ sampleRate: NATIVE_RATE, kilobits: MP3_KILOBITS });
  let samples = 0;
  let spoken = false;
  for await (const chunk of chunks) {
    samples += chunk.byteLength / 2;
    spoken ||= chunk.byteLength > 0;
    const bytes = encoder.encode(chunk);
    if (bytes.length === 0) continue;
    yield { bytes, samples };
    samples = 0;
  }
  if (!spoken) return; // An empty file is no valid answer to silence.
  const bytes = encoder.finish();
  if (bytes.length > 0) yield { bytes, samples };
}

export const millisecondsOf = (samples: number, wire: OutputFormat): number =>
  Math.round((samples * 1000) / wire.rate);

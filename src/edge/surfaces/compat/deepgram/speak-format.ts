import { ApiError } from '../../../../foundation/platform/errors.ts';
import type { SpokenFormat } from '../speech-line.ts';

const ENCODINGS = ['linear16', 'mulaw', 'alaw', 'mp3', 'opus', 'flac', 'aac'] as const;
export type SpeakEncoding = (typeof ENCODINGS)[number];
const RAW = ['linear16', 'mulaw', 'alaw'] as const;

const FORMATS = {
  linear16: 'pcm',
  mulaw: 'g711_ulaw',
  alaw: 'g711_alaw',
  mp3: 'mp3',
  opus: 'opus',
  flac: 'flac',
  aac: 'aac',
} as const satisfies Record<SpeakEncoding, SpokenFormat>;

const RATES: Readonly<Record<SpeakEncoding, readonly number[]>> = {
  linear16: [24_000, 8000, 16_000, 22_050, 32_000, 44_100, 48_000],
  mulaw: [8000, 16_000],
  alaw: [8000, 16_000],
  mp3: [22_050, 24_000],
  opus: [48_000],
  flac: [24_000, 8000, 16_000, 22_050, 32_000, 44_100, 48_000],
  aac: [22_050, 24_000],
};

export interface SpeakFormat {
  readonly format: SpokenFormat;
  readonly sampleRate: number | undefined;
}

export const rawFormatOf = (encoding: string | null, rate: string | null): SpeakFormat =>
  formatOf(encoding ?? 'linear16', rate, RAW);

export function fileFormatOf(said: {
  encoding?: string | undefined;
  container?: string | undefined;
  sample_rate?: string | undefined;
}): SpeakFormat {
  const encoding = said.encoding ?? 'mp3';
  const chosen = formatOf(encoding, said.sample_rate ?? null, ENCODINGS);
  const isWav = encoding === 'linear16' && (said.container ?? 'wav') === 'wav';
  return isWav ? { ...chosen, format: 'wav' } : chosen;
}

function formatOf(name: string, rate: string | null, among: readonly SpeakEncoding[]): SpeakFormat {
  const encoding = among.find((one) => one === name);
  if (encoding === undefined)
    throw invalidParameter('encoding', `encoding must be one of ${among.join(', ')}.`);
  const rates = RATES[encoding];
  const sampleRate = rate === null ? rates[0] : rates.find((one) => String(one) === rate);
  if (sampleRate === undefined) {
    const said = [...rates].sort((a, b) => a - b).join(', ');
    throw invalidParameter('sample_rate', `sample_rate for ${encoding} must be one of ${said}.`);
  }
  const isRaw = (RAW as readonly string[]).includes(encoding);
  return { format: FORMATS[encoding], sampleRate: isRaw ? sampleRate : undefined };
}

const invalidParameter = (param: string, message: string): ApiError =>
  new ApiError('invalid_request', message, { param });

import type { CallRate } from '../../../../conversation/calls/index.ts';
import { g711 } from '../../../../media/wire/index.ts';

export const FORMATS = ['audio/pcm', 'audio/pcmu', 'audio/pcma'] as const;
export type SoundFormat = (typeof FORMATS)[number];

export const OLDER_FORMATS: Readonly<Record<string, SoundFormat>> = {
  pcm16: 'audio/pcm',
  g711_ulaw: 'audio/pcmu',
  g711_alaw: 'audio/pcma',
};

export const PCM_RATE = 24_000;
const CODECS: Readonly<Record<SoundFormat, g711.G711 | null>> = {
  'audio/pcm': null,
  'audio/pcmu': 'pcmu',
  'audio/pcma': 'pcma',
};

export const rateOf = (format: SoundFormat): CallRate => (format === 'audio/pcm' ? PCM_RATE : 8000);

export function pcmOf(format: SoundFormat, bytes: Buffer): Buffer {
  const codec = CODECS[format];
  return codec === null ? bytes : g711.decode(codec, bytes);
}

export function bytesOf(format: SoundFormat, pcm: Uint8Array): Buffer {
  const bytes = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  const codec = CODECS[format];
  return codec === null ? bytes : g711.encode(codec, bytes);
}

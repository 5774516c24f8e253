import type { CallRate } from '../../../../conversation/calls/index.ts';
import { convertAudio, type WireFormat } from '../../../../media/engine/index.ts';

export const FORMATS = ['audio/pcm', 'audio/pcmu', 'audio/pcma'] as const;
export type SoundFormat = (typeof FORMATS)[number];

export const OLDER_FORMATS: Readonly<Record<string, SoundFormat>> = {
  pcm16: 'audio/pcm',
  g711_ulaw: 'audio/pcmu',
  g711_alaw: 'audio/pcma',
};

export const PCM_RATE = 24_000;
const CODECS: Readonly<Record<SoundFormat, WireFormat>> = {
  'audio/pcm': 'pcm16',
  'audio/pcmu': 'pcmu',
  'audio/pcma': 'pcma',
};

export const rateOf = (format: SoundFormat): CallRate => (format === 'audio/pcm' ? PCM_RATE : 8000);

export function pcmOf(format: SoundFormat, bytes: Buffer): Buffer {
  const codec = CODECS[format];
  return codec === 'pcm16' ? bytes : convertAudio(codec, bytes, 'pcm16');
}

export function bytesOf(format: SoundFormat, pcm: Uint8Array): Buffer {
  const bytes = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength);
  const codec = CODECS[format];
  return codec === 'pcm16' ? bytes : convertAudio('pcm16', bytes, codec);
}

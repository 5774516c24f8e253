import { fetchRaw, sessionKey } from './api.ts';
import { type Peaks, peaksOf } from './peaks.ts';

export interface DecodedSound {
  readonly samples: Float32Array;
  readonly hertz: number;
  readonly peaks: Peaks;
}

/** Browsers decode the formats that they play: WAV, MP3, FLAC, Ogg, WebM, M4A. */
export async function decodeSound(blob: Blob, hertz: number): Promise<DecodedSound> {
  const context = new OfflineAudioContext(1, 1, hertz);
  const sound = await context.decodeAudioData(await blob.arrayBuffer());
  const samples = new Float32Array(sound.length);
  for (let channel = 0; channel < sound.numberOfChannels; channel += 1)
    sound.getChannelData(channel).forEach((sample, at) => {
      samples[at] = (samples[at] as number) + sample / sound.numberOfChannels;
    });
  return { samples, hertz, peaks: peaksOf([samples, samples], sound.duration) };
}

const MULAW_BIAS = 132;
const MULAW_CLIP = 32_635;

function mulawOf(sample: number): number {
  const pcm = Math.round(sample * 32_767);
  const sign = pcm < 0 ? 0x80 : 0;
  const loud = Math.min(Math.abs(pcm), MULAW_CLIP) + MULAW_BIAS;
  const exponent = 31 - Math.clz32(loud) - 7;
  const mantissa = (loud >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

export const mulaw = (samples: Float32Array): Uint8Array => Uint8Array.from(samples, mulawOf);

const HEAD_BYTES = 44;

export function wavOf(samples: Float32Array, hertz: number): Blob {
  const view = new DataView(new ArrayBuffer(HEAD_BYTES + samples.length * 2));
  const text = (at: number, words: string) =>
    [...words].forEach((letter, nth) => {
      view.setUint8(at + nth, letter.charCodeAt(0));
    });
  text(0, 'RIFF');
  view.setUint32(4, view.byteLength - 8, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, hertz, true);
  view.setUint32(28, hertz * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, samples.length * 2, true);
  samples.forEach((sample, at) => {
    view.setInt16(HEAD_BYTES + at * 2, Math.max(-1, Math.min(1, sample)) * 32_767, true);
  });
  return new Blob([view], { type: 'audio/wav' });
}

export interface Spoken {
  readonly blob: Blob;
  readonly voice: string;
  readonly tookMs: number;
}

export interface SpeechRequest {
  readonly voice: string;
  readonly input: string;
  readonly speed?: number;
  readonly emotion?: string;
}

export async function speak(asked: SpeechRequest): Promise<Spoken> {
  const from = performance.now();
  const answer = await fetchRaw('POST', '/v1/audio/speech', {
    ...asked,
    response_format: 'wav',
    stream: false,
  });
  const blob = await answer.blob();
  return {
    blob,
    voice: answer.headers.get('x-svc-voice') ?? asked.voice,
    tookMs: performance.now() - from,
  };
}

export async function openSocket(path: string): Promise<WebSocket> {
  const { api_key } = await sessionKey();
  const address = new URL(path, location.href);
  address.protocol = address.protocol.replace('http', 'ws');
  return new WebSocket(address, ['svc.v1', `svc-key.${api_key}`]);
}

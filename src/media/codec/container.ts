/** The container is detected from the first bytes alone: names and declared types are not trusted. */
import { declaredMpegSeconds, mpegFrame } from './mpeg-frame.ts';
import { declaredWavSeconds } from './wav-header.ts';

export interface Container {
  readonly name: 'wav' | 'mp3' | 'm4a' | 'aac' | 'flac' | 'ogg' | 'webm';
  readonly demuxer: string;
  /** The index may be at the end of the file, so a pipe cannot carry it. */
  readonly seeks: boolean;
  /** The length that the header declares, where this process can read it; ffmpeg reports it for the others. */
  readonly declaredSeconds?: number | undefined;
}

const M4A: Container = { name: 'm4a', demuxer: 'mov', seeks: true };
const WEBM: Container = { name: 'webm', demuxer: 'matroska', seeks: true };
const AAC: Container = { name: 'aac', demuxer: 'aac', seeks: false };
const FLAC: Container = { name: 'flac', demuxer: 'flac', seeks: false };
const OGG: Container = { name: 'ogg', demuxer: 'ogg', seeks: false };
const wav = (head: Buffer): Container => ({
  name: 'wav',
  demuxer: 'wav',
  seeks: false,
  declaredSeconds: declaredWavSeconds(head),
});
const mp3 = (head: Buffer, at: number): Container => ({
  name: 'mp3',
  demuxer: 'mp3',
  seeks: false,
  declaredSeconds: declaredMpegSeconds(head, at),
});

const EBML = 0x1a45dfa3;
export const SNIFF_BYTES = 64 * 1024;

export function sniff(head: Buffer): Container | undefined {
  const text = (at: number) => head.toString('latin1', at, at + 4);
  if (['RIFF', 'RF64', 'RIFX'].includes(text(0)) && text(8) === 'WAVE') return wav(head);
  if (text(0) === 'fLaC') return FLAC;
  if (text(0) === 'OggS') return OGG;
  if (text(4) === 'ftyp') return M4A;
  if (head.length > 4 && head.readUInt32BE(0) === EBML) return WEBM;
  if (text(0).startsWith('ID3')) return afterTag(head);
  return frames(head, 0);
}

function afterTag(head: Buffer): Container | undefined {
  if (head.length < 10) return undefined;
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (head[at]! & 0x7f), 0);
  const footer = head[5]! & 0x10 ? 10 : 0;
  const at = 10 + size + footer;
  if (head.toString('latin1', at, at + 4) === 'fLaC') return FLAC;
  return frames(head, at) ?? mp3(head, at);
}

/** MPEG audio has no magic number, so a frame header counts only where the next one is at its declared position. */
function frames(head: Buffer, from: number): Container | undefined {
  for (let at = from; at + 4 <= head.length && at < from + 4096; at++) {
    if (head[at] !== 0xff) continue;
    const aac = (head[at + 1]! & 0xf6) === 0xf0;
    const length = aac ? adtsLength(head, at) : mpegFrame(head, at)?.bytes;
    if (length === undefined) continue;
    const next = at + length;
    const confirmed = next + 2 > head.length ? at === from : sameHeader(head, at, next);
    if (confirmed) return aac ? AAC : mp3(head, at);
  }
  return undefined;
}

const sameHeader = (head: Buffer, a: number, b: number): boolean =>
  head[b] === 0xff && (head[a + 1]! & 0xfe) === (head[b + 1]! & 0xfe);

function adtsLength(head: Buffer, at: number): number | undefined {
  if (at + 6 > head.length || (head[at + 2]! & 0x3c) >> 2 > 12) return undefined;
  const length = ((head[at + 3]! & 3) << 11) | (head[at + 4]! << 3) | (head[at + 5]! >> 5);
  return length > 7 ? length : undefined;
}

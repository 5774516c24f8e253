/** What a file is, told by its first bytes alone: names and declared types are not believed. */

export interface Container {
  readonly name: 'wav' | 'mp3' | 'm4a' | 'aac' | 'flac' | 'ogg';
  /** The one demuxer that ffmpeg may use. */
  readonly demuxer: string;
  /** Its index may be at the end, so it cannot be read from a pipe. */
  readonly seeks: boolean;
}

const WAV: Container = { name: 'wav', demuxer: 'wav', seeks: false };
const MP3: Container = { name: 'mp3', demuxer: 'mp3', seeks: false };
const M4A: Container = { name: 'm4a', demuxer: 'mov', seeks: true };
const AAC: Container = { name: 'aac', demuxer: 'aac', seeks: false };
const FLAC: Container = { name: 'flac', demuxer: 'flac', seeks: false };
const OGG: Container = { name: 'ogg', demuxer: 'ogg', seeks: false };

/** How much of a file `sniff` wants to see. */
export const SNIFF_BYTES = 64 * 1024;

export function sniff(head: Buffer): Container | undefined {
  const text = (at: number) => head.toString('latin1', at, at + 4);
  if (['RIFF', 'RF64', 'RIFX'].includes(text(0)) && text(8) === 'WAVE') return WAV;
  if (text(0) === 'fLaC') return FLAC;
  if (text(0) === 'OggS') return OGG;
  if (text(4) === 'ftyp') return M4A;
  if (text(0).startsWith('ID3')) return afterTag(head);
  return frames(head, 0);
}

/** Behind an ID3v2 tag: mostly mp3, now and then flac or aac. A tag longer than what is seen is taken for mp3's. */
function afterTag(head: Buffer): Container | undefined {
  if (head.length < 10) return undefined;
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (head[at]! & 0x7f), 0);
  const footer = head[5]! & 0x10 ? 10 : 0;
  const at = 10 + size + footer;
  if (at + 4 > head.length) return MP3;
  if (head.toString('latin1', at, at + 4) === 'fLaC') return FLAC;
  return frames(head, at) ?? MP3;
}

/** MPEG audio has no magic number: a frame header is believed when the next one stands where it says. */
function frames(head: Buffer, from: number): Container | undefined {
  for (let at = from; at + 4 <= head.length && at < from + 4096; at++) {
    if (head[at] !== 0xff || (head[at + 1]! & 0xe0) !== 0xe0) continue;
    const aac = (head[at + 1]! & 0xf6) === 0xf0;
    const length = aac ? adtsLength(head, at) : mpegLength(head, at);
    if (length === undefined) continue;
    const next = at + length;
    const confirmed = next + 2 > head.length ? at === from : sameHeader(head, at, next);
    if (confirmed) return aac ? AAC : MP3;
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

const BITRATES: Record<string, readonly number[]> = {
  '1,1': [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1,2': [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1,3': [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2,1': [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2,2': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2,3': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const RATES = [44100, 48000, 32000];

/** Bytes of an MPEG audio frame, or undefined when the header cannot be one. */
function mpegLength(head: Buffer, at: number): number | undefined {
  const version = (head[at + 1]! >> 3) & 3; // 3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5
  const layer = 4 - ((head[at + 1]! >> 1) & 3);
  const bitrate = BITRATES[`${version === 3 ? 1 : 2},${layer}`]?.[head[at + 2]! >> 4];
  const rate = RATES[(head[at + 2]! >> 2) & 3];
  if (version === 1 || !bitrate || !rate) return undefined;
  const hertz = rate / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const padding = (head[at + 2]! >> 1) & 1;
  if (layer === 1) return (Math.floor((12_000 * bitrate) / hertz) + padding) * 4;
  const samples = layer === 3 && version !== 3 ? 72_000 : 144_000;
  return Math.floor((samples * bitrate) / hertz) + padding;
}

export interface MpegFrame {
  readonly bytes: number;
  readonly samples: number;
  readonly sampleRate: number;
  /** The offset from the frame's start at which a layer III frame may carry the encoder's own header. */
  readonly infoAt: number;
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

export function mpegFrame(head: Buffer, at: number): MpegFrame | undefined {
  if (at + 4 > head.length || head[at] !== 0xff || (head[at + 1]! & 0xe0) !== 0xe0) return undefined;
  const version = (head[at + 1]! >> 3) & 3;
  const layer = 4 - ((head[at + 1]! >> 1) & 3);
  const bitrate = BITRATES[`${version === 3 ? 1 : 2},${layer}`]?.[head[at + 2]! >> 4];
  const rate = RATES[(head[at + 2]! >> 2) & 3];
  if (version === 1 || !bitrate || !rate) return undefined;
  const sampleRate = rate / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const padding = (head[at + 2]! >> 1) & 1;
  const samples = layer === 1 ? 384 : layer === 3 && version !== 3 ? 576 : 1152;
  const slots = Math.floor(((samples / 8) * 1000 * bitrate) / sampleRate / (layer === 1 ? 4 : 1)) + padding;
  const mono = head[at + 3]! >> 6 === 3;
  const infoAt = 4 + (version === 3 ? (mono ? 17 : 32) : mono ? 9 : 17);
  return { bytes: slots * (layer === 1 ? 4 : 1), samples, sampleRate, infoAt };
}

export function declaredMpegSeconds(head: Buffer, at: number): number | undefined {
  const frame = mpegFrame(head, at);
  if (!frame || at + frame.infoAt + 12 > head.length) return undefined;
  const tag = head.toString('latin1', at + frame.infoAt, at + frame.infoAt + 4);
  const hasCount = (tag === 'Xing' || tag === 'Info') && (head[at + frame.infoAt + 7]! & 1) === 1;
  return hasCount ? (head.readUInt32BE(at + frame.infoAt + 8) * frame.samples) / frame.sampleRate : undefined;
}

export interface PcmFormat {
  readonly sampleRate: number;
  readonly channels: number;
  readonly sample: 's16' | 'f32';
}

export const bytesPerFrame = (format: PcmFormat): number =>
  format.channels * (format.sample === 's16' ? 2 : 4);

const UNKNOWN = 0xffffffff;

/** An absent `dataBytes` means an unknown length; readers then take the rest of the file as audio. */
export function wavHeader(format: PcmFormat, dataBytes?: number): Buffer {
  const header = Buffer.alloc(44);
  const frame = bytesPerFrame(format);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(dataBytes === undefined ? UNKNOWN : Math.min(dataBytes + 36, UNKNOWN), 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(format.sample === 's16' ? 1 : 3, 20);
  header.writeUInt16LE(format.channels, 22);
  header.writeUInt32LE(format.sampleRate, 24);
  header.writeUInt32LE(format.sampleRate * frame, 28);
  header.writeUInt16LE(frame, 32);
  header.writeUInt16LE((frame / format.channels) * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes === undefined ? UNKNOWN : Math.min(dataBytes, UNKNOWN), 40);
  return header;
}

export function readWavHeader(bytes: Buffer): { format: PcmFormat; audioAt: number } | undefined {
  let format: PcmFormat | undefined;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const id = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    if (id === 'data') return format && { format, audioAt: at + 8 };
    if (at + 8 + size > bytes.length) return undefined;
    if (id === 'fmt ') {
      const sample = bytes.readUInt16LE(at + 22) === 16 ? 's16' : 'f32';
      format = { sampleRate: bytes.readUInt32LE(at + 12), channels: bytes.readUInt16LE(at + 10), sample };
    }
    at += 8 + size + (size & 1);
  }
  return undefined;
}

/**
 * Writers that do not know the length write the maximum. Such a length is ignored, and so is a 0 that audio follows.
 */
const LEAST_UNKNOWN = 0x7fff0000;

export function declaredWavSeconds(head: Buffer): number | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= head.length; ) {
    const id = head.toString('latin1', at, at + 4);
    const size = head.readUInt32LE(at + 4);
    if (id === 'data') {
      return bytesPerSecond > 0 && size < LEAST_UNKNOWN ? size / bytesPerSecond : undefined;
    }
    if (id === 'fmt ' && at + 20 <= head.length) bytesPerSecond = head.readUInt32LE(at + 16);
    at += 8 + size + (size & 1);
  }
  return undefined;
}

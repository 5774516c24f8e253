/** RTP packets (RFC 3550), as far as a call needs them. */

export interface RtpPacket {
  readonly type: number;
  readonly marker: boolean;
  readonly sequence: number;
  readonly timestamp: number;
  readonly source: number;
  readonly payload: Buffer;
}

const FIXED_BYTES = 12;
const VERSION = 2;

/** Null where it is none. The payload is a view into `bytes`. */
export function readRtp(bytes: Buffer): RtpPacket | null {
  if (bytes.length < FIXED_BYTES) return null;
  const first = bytes[0] as number;
  const second = bytes[1] as number;
  if (first >> 6 !== VERSION || isRtcp(second)) return null;
  const start = payloadStart(bytes, first);
  const end = bytes.length - (first & 0x20 ? (bytes[bytes.length - 1] as number) : 0);
  if (start === null || start > end) return null;
  return {
    type: second & 0x7f,
    marker: (second & 0x80) !== 0,
    sequence: bytes.readUInt16BE(2),
    timestamp: bytes.readUInt32BE(4),
    source: bytes.readUInt32BE(8),
    payload: bytes.subarray(start, end),
  };
}

/** RTP and RTCP share a port: RFC 5761 tells them apart by the second byte. */
const isRtcp = (second: number): boolean => second >= 192 && second <= 223;

function payloadStart(bytes: Buffer, first: number): number | null {
  const start = FIXED_BYTES + 4 * (first & 0x0f);
  if ((first & 0x10) === 0) return start;
  if (bytes.length < start + 4) return null;
  return start + 4 + 4 * bytes.readUInt16BE(start + 2);
}

export function writeRtp(packet: Omit<RtpPacket, 'payload'>, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(FIXED_BYTES + payload.length);
  bytes[0] = VERSION << 6;
  bytes[1] = (packet.marker ? 0x80 : 0) | packet.type;
  bytes.writeUInt16BE(packet.sequence & 0xffff, 2);
  bytes.writeUInt32BE(packet.timestamp >>> 0, 4);
  bytes.writeUInt32BE(packet.source >>> 0, 8);
  bytes.set(payload, FIXED_BYTES);
  return bytes;
}

/** How many numbers `b` lies after `a`, on a circle of 65,536. */
export const sequenceAfter = (a: number, b: number): number => ((b - a + 0x18000) & 0xffff) - 0x8000;

const RECEIVER_REPORT = 201;
const BYE = 203;

/** The source leaves: RTCP's empty report and its farewell, which go together. */
export function writeBye(source: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.set([VERSION << 6, RECEIVER_REPORT, 0, 1]);
  bytes.writeUInt32BE(source >>> 0, 4);
  bytes.set([(VERSION << 6) | 1, BYE, 0, 1], 8);
  bytes.writeUInt32BE(source >>> 0, 12);
  return bytes;
}

/** Whether RTCP packets hold a farewell. */
export function isBye(bytes: Buffer): boolean {
  for (let at = 0; at + 4 <= bytes.length; at += 4 + 4 * bytes.readUInt16BE(at + 2)) {
    if ((bytes[at] as number) >> 6 !== VERSION || !isRtcp(bytes[at + 1] as number)) return false;
    if (bytes[at + 1] === BYE) return true;
  }
  return false;
}

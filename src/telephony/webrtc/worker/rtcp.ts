/** The engine handles RTCP (RFC 3550) except for BYE, which this module reads. */

const VERSION = 2;
const RECEIVER_REPORT = 201;
const BYE = 203;

/** RTP and RTCP share a port: RFC 5761 distinguishes them by the second byte. */
export const isRtcp = (bytes: Buffer): boolean => {
  const type = bytes[1] ?? 0;
  return type >= 192 && type <= 223;
};

/** The BYE follows an empty receiver report, as a compound packet requires. */
export function writeBye(source: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.set([VERSION << 6, RECEIVER_REPORT, 0, 1]);
  bytes.writeUInt32BE(source >>> 0, 4);
  bytes.set([(VERSION << 6) | 1, BYE, 0, 1], 8);
  bytes.writeUInt32BE(source >>> 0, 12);
  return bytes;
}

export function isBye(bytes: Buffer): boolean {
  for (let at = 0; at + 4 <= bytes.length; at += 4 + 4 * bytes.readUInt16BE(at + 2)) {
    if ((bytes[at] as number) >> 6 !== VERSION || !isRtcp(bytes.subarray(at))) return false;
    if (bytes[at + 1] === BYE) return true;
  }
  return false;
}

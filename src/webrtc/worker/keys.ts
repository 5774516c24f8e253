/** Keys as telephone events (RFC 4733): each press comes in many packets of one timestamp. */

const DIGITS = '0123456789*#ABCD';
const EVENT_BYTES = 4;

/** Tells each press once, however many packets say it, and in whatever order. */
export class KeyReader {
  #last: number | null = null;

  /** The key that begins with this packet; null: none, or one that was told. */
  read(timestamp: number, payload: Buffer): string | null {
    if (payload.length < EVENT_BYTES) return null;
    const digit = DIGITS[payload[0] as number];
    if (digit === undefined || timestamp === this.#last) return null;
    this.#last = timestamp;
    return digit;
  }
}

export interface EventPacket {
  readonly marker: boolean;
  readonly payload: Buffer;
}

const SAMPLES_A_PACKET = 160;
const PACKETS = 5;
const END_TIMES = 3;
const VOLUME = 10;

/** The packets of one press of 100 ms, one for each 20 ms; the end is said three times. Null: no such key. */
export function pressOf(digit: string): readonly EventPacket[] | null {
  const event = DIGITS.indexOf(digit.toUpperCase());
  if (event < 0 || digit.length !== 1) return null;
  return Array.from({ length: PACKETS + END_TIMES - 1 }, (_, index) => {
    const ended = index >= PACKETS - 1;
    const payload = Buffer.allocUnsafe(EVENT_BYTES);
    payload[0] = event;
    payload[1] = (ended ? 0x80 : 0) | VOLUME;
    payload.writeUInt16BE(Math.min(index + 1, PACKETS) * SAMPLES_A_PACKET, 2);
    return { marker: index === 0, payload };
  });
}

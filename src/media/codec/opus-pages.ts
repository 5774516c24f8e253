/** Wraps bare Opus packets, as WebRTC and telephone bots send them, in Ogg pages (RFC 7845) for a decoder. */

const SERIAL = 1;
const FIRST = 2;
/** Opus counts samples at 48 kHz whatever was recorded. */
const GRANULE_RATE = 48_000;
const MOST_SEGMENTS = 255;

const CRC = new Uint32Array(256).map((_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc >>> 0;
});

function checksum(page: Buffer): number {
  let crc = 0;
  for (const byte of page) crc = ((crc << 8) ^ CRC[(crc >>> 24) ^ byte]!) >>> 0;
  return crc;
}

function tags(): Buffer {
  const vendor = Buffer.from('trunkline');
  const head = Buffer.alloc(16 + vendor.length);
  head.write('OpusTags', 'latin1');
  head.writeUInt32LE(vendor.length, 8);
  vendor.copy(head, 12);
  return head;
}

function header(channels: number): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 'latin1');
  head[8] = 1;
  head[9] = channels;
  head.writeUInt32LE(GRANULE_RATE, 12);
  return head;
}

/**
 * Reads the samples of a packet at 48 kHz from its table of contents (RFC 6716, section 3.1); null for an invalid
 * packet.
 */
function samplesOf(packet: Uint8Array): number | null {
  const [toc, count] = packet;
  if (toc === undefined) return null;
  const config = toc >> 3;
  const frame =
    config < 12
      ? [480, 960, 1920, 2880][config % 4]!
      : config < 16
        ? [480, 960][config % 2]!
        : 120 << (config % 4);
  const frames = (toc & 3) === 0 ? 1 : (toc & 3) < 3 ? 2 : (count ?? 0) & 0x3f;
  return frames === 0 || frame * frames > 5760 ? null : frame * frames;
}

export class OpusPages {
  readonly #channels: number;
  #sequence = 0;
  #granule = 0n;

  constructor(channels: 1 | 2) {
    this.#channels = channels;
  }

  /** Returns the page of a packet, after the stream's headers for the first; null for an invalid packet. */
  page(packet: Uint8Array): Buffer | null {
    const samples = samplesOf(packet);
    if (samples === null || packet.length >= MOST_SEGMENTS * 255) return null;
    const headers =
      this.#sequence === 0 ? [this.#write(header(this.#channels), FIRST), this.#write(tags(), 0)] : [];
    this.#granule += BigInt(samples);
    return Buffer.concat([...headers, this.#write(packet, 0)]);
  }

  #write(packet: Uint8Array, flags: number): Buffer {
    const whole = Math.floor(packet.length / 255);
    const head = Buffer.alloc(27 + whole + 1, 255);
    head.write('OggS', 'latin1');
    head[4] = 0;
    head[5] = flags;
    head.writeBigUInt64LE(this.#granule, 6);
    head.writeUInt32LE(SERIAL, 14);
    head.writeUInt32LE(this.#sequence++, 18);
    head.writeUInt32LE(0, 22);
    head[26] = whole + 1;
    head[27 + whole] = packet.length % 255;
    const page = Buffer.concat([head, packet]);
    page.writeUInt32LE(checksum(page), 22);
    return page;
  }
}

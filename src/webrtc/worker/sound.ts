import { g711 } from '../../media/index.ts';
import { type EventPacket, KeyReader, pressOf } from './keys.ts';
import { Reorder } from './reorder.ts';
import { isBye, readRtp, writeBye, writeRtp } from './rtp.ts';
import type { AudioFormat } from './sdp.ts';

const SAMPLES = 160;
const PACKET_MS = 20;
/** Ahead of its moment at most; beyond that the oldest is dropped. */
const MOST_WAITING = 15;
/** After a pause of the process the wire goes on from now, not from then. */
const MOST_BEHIND = 5;
/** A source that changes says farewell too, and another goes on. */
const FAREWELL_MS = 500;

export interface SoundOut {
  /** PCM16 at 8 kHz of the other side. */
  heard(pcm: Buffer): void;
  key(digit: string): void;
  /** One packet. */
  send(packet: Buffer): void;
  /** The other side has said farewell, and has sent nothing since. */
  gone(): void;
}

/** The sound of one peer: packets in order on one side, one packet each 20 ms on the other. */
export class Sound {
  readonly #format: AudioFormat;
  readonly #out: SoundOut;
  readonly #source: number;
  readonly #keys = new KeyReader();
  readonly #queue: Buffer[] = [];
  readonly #presses: EventPacket[] = [];
  readonly order: Reorder;
  #last: Buffer | null = null;
  #began: number | null = null;
  #ticks = 0;
  #sequence = Math.floor(Math.random() * 0x8000);
  #pressAt = 0;
  #farewell: number | null = null;
  sent = 0;

  constructor(format: AudioFormat, source: number, out: SoundOut) {
    this.#format = format;
    this.#source = source;
    this.#out = out;
    this.order = new Reorder({ play: (payload) => this.#play(payload) });
  }

  get codec(): g711.G711 {
    return this.#format.codec;
  }

  /** A packet as it came from the wire. */
  receive(bytes: Buffer, now: number): void {
    const packet = readRtp(bytes);
    if (packet === null) {
      if (isBye(bytes)) this.#farewell = now;
      return;
    }
    this.#farewell = null;
    if (packet.type === this.#format.keysType) {
      const digit = this.#keys.read(packet.timestamp, packet.payload);
      if (digit !== null) this.#out.key(digit);
      // Its place in the order is filled: it is not lost.
      this.order.add(packet.sequence, EMPTY, now);
    } else if (packet.type === this.#format.payloadType) this.order.add(packet.sequence, packet.payload, now);
  }

  /** PCM16 at 8 kHz, 20 ms at a time. */
  say(pcm: Buffer): void {
    for (let at = 0; at + 2 * SAMPLES <= pcm.length; at += 2 * SAMPLES)
      this.#queue.push(g711.encode(this.codec, pcm.subarray(at, at + 2 * SAMPLES)));
    while (this.#queue.length > MOST_WAITING) this.#queue.shift();
  }

  clear(): void {
    this.#queue.length = 0;
  }

  /** Nothing where the other side takes no keys. */
  press(digits: string): void {
    if (this.#format.keysType === null) return;
    for (const digit of digits) this.#presses.push(...(pressOf(digit) ?? []));
  }

  /** The other side need not find out by itself. */
  leave(): void {
    this.#out.send(writeBye(this.#source));
  }

  /** Called often: sends what is due. */
  tick(now: number): void {
    this.order.tick(now);
    if (this.#farewell !== null && now - this.#farewell >= FAREWELL_MS) this.#out.gone();
    this.#began ??= now;
    const due = Math.floor((now - this.#began) / PACKET_MS) + 1;
    if (due - this.#ticks > MOST_BEHIND) {
      this.#began += (due - this.#ticks - 1) * PACKET_MS;
      this.#packet();
    } else while (this.#ticks < due) this.#packet();
  }

  #packet(): void {
    const timestamp = this.#ticks * SAMPLES;
    const press = this.#presses.shift();
    if (press?.marker) this.#pressAt = timestamp;
    const head = { sequence: this.#sequence++, source: this.#source };
    const packet =
      press === undefined
        ? writeRtp(
            { ...head, type: this.#format.payloadType, marker: this.#ticks === 0, timestamp },
            this.#next(),
          )
        : writeRtp(
            {
              ...head,
              type: this.#format.keysType as number,
              marker: press.marker,
              timestamp: this.#pressAt,
            },
            press.payload,
          );
    this.#ticks += 1;
    this.sent += 1;
    this.#out.send(packet);
  }

  #next(): Buffer {
    return this.#queue.shift() ?? Buffer.alloc(SAMPLES, g711.SILENCE[this.codec]);
  }

  #play(payload: Buffer | null): void {
    if (payload?.length === 0) return;
    if (payload !== null) {
      const pcm = g711.decode(this.codec, payload);
      this.#last = pcm;
      this.#out.heard(pcm);
    } else if (this.#last !== null) {
      this.#last = halved(this.#last);
      this.#out.heard(this.#last);
    }
  }
}

const EMPTY = Buffer.alloc(0);

/** What stands in for a packet that was lost: the one before, ever quieter. */
function halved(pcm: Buffer): Buffer {
  const quieter = Buffer.allocUnsafe(pcm.length);
  for (let at = 0; at + 1 < pcm.length; at += 2) quieter.writeInt16LE(pcm.readInt16LE(at) >> 1, at);
  return quieter;
}

import { createSocket, type Socket } from 'node:dgram';
import { isBye, isRtcp } from './rtcp.ts';

/** Packets go between here and the engine on this machine alone. */
const HERE = '127.0.0.1';
/** A source that changes says farewell too, and another goes on. */
const FAREWELL_MS = 500;
/** The queue holds a quarter of a second while the engine opens its side. */
const MOST_EARLY = 12;

export interface RelayOut {
  /** Sends a packet to the remote side. */
  packet(packet: Buffer): void;
  /** The other side has said farewell, and has sent nothing since. */
  gone(): void;
}

/** The packets of one peer on their way between the connection and the engine. */
export class PacketRelay {
  readonly #socket: Socket;
  readonly #out: RelayOut;
  /** The queue is null once the engine takes packets. */
  #early: Buffer[] | null = [];
  #farewell: number | null = null;
  #closed = false;

  constructor(out: RelayOut, bound: (port: number) => void) {
    this.#out = out;
    this.#socket = createSocket('udp4');
    // A port of the engine that is closed says so; the call ends by itself.
    this.#socket.on('error', () => undefined);
    this.#socket.on('message', (packet) => this.#out.packet(packet));
    this.#socket.bind(0, HERE, () => {
      if (!this.#closed) bound(this.#socket.address().port);
    });
  }

  /** The engine takes them there. From then on nobody else on this machine is heard. */
  connect(port: number): void {
    if (this.#closed) return;
    this.#socket.connect(port, HERE, () => {
      const early = this.#early ?? [];
      this.#early = null;
      for (const packet of early) this.#send(packet);
    });
  }

  /** A packet of the other side. */
  take(packet: Buffer, now: number): void {
    if (isRtcp(packet)) {
      if (isBye(packet)) this.#farewell = now;
    } else this.#farewell = null;
    if (this.#early === null) this.#send(packet);
    else if (this.#early.length < MOST_EARLY) this.#early.push(packet);
  }

  tick(now: number): void {
    if (this.#farewell !== null && now - this.#farewell >= FAREWELL_MS) this.#out.gone();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.close();
  }

  #send(packet: Buffer): void {
    if (!this.#closed) this.#socket.send(packet, () => undefined);
  }
}

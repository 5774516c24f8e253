import { createSocket, type Socket } from 'node:dgram';
import { isBye, isRtcp } from './rtcp.ts';

/** Packets pass between this process and the engine on this machine only. */
const HERE = '127.0.0.1';
/** A source that changes also sends a BYE, and another source goes on. */
const FAREWELL_MS = 500;
/** The queue holds a quarter of a second while the engine opens its side. */
const MOST_EARLY = 12;

export interface RelayOut {
  packet(packet: Buffer): void;
  gone(): void;
}

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
    // A closed port of the engine raises this error; the call ends by itself.
    this.#socket.on('error', () => undefined);
    this.#socket.on('message', (packet) => this.#out.packet(packet));
    this.#socket.bind(0, HERE, () => {
      if (!this.#closed) bound(this.#socket.address().port);
    });
  }

  /** Connects the socket to the engine, so that it accepts packets from no other process on this machine. */
  connect(port: number): void {
    if (this.#closed) return;
    this.#socket.connect(port, HERE, () => {
      const early = this.#early ?? [];
      this.#early = null;
      for (const packet of early) this.#send(packet);
    });
  }

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

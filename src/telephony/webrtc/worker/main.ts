/** The peer process. The server passes a pipe as descriptor 3 and ends the process by closing it. */
import { Socket } from 'node:net';
import { controlOf, FrameReader, frame, Kind, type ToPeers } from '../protocol.ts';
import { type Library, loadLibrary } from './library.ts';
import { WorkerPeer } from './peer.ts';

const PIPE = 3;
const TICK_MS = 50;
/** A server that leaves this much unread is dead or about to be. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024;

class Peers {
  readonly #library: Library;
  readonly #pipe: Socket;
  readonly #peers = new Map<number, WorkerPeer>();

  constructor(library: Library, pipe: Socket) {
    this.#library = library;
    this.#pipe = pipe;
  }

  take(number: number, kind: number, payload: Buffer): void {
    const peer = this.#peers.get(number);
    if (kind === Kind.data) peer?.channel.send(payload);
    else if (kind === Kind.text) peer?.channel.send(payload.toString());
    else this.#control(number, JSON.parse(payload.toString()) as ToPeers);
  }

  tick(now: number): void {
    for (const peer of this.#peers.values()) peer.tick(now);
    if (this.#pipe.writableLength > MOST_UNREAD_BYTES) process.exit(1);
  }

  #control(number: number, message: ToPeers): void {
    const peer = this.#peers.get(number);
    if (message.type === 'open') this.#open(number, message);
    else if (message.type === 'answered') peer?.answered(message.sdp);
    else if (message.type === 'candidates') peer?.candidates(message.lines);
    else if (message.type === 'restart') peer?.restart(message.offer, performance.now());
    else if (message.type === 'sound') peer?.sound(message.port);
    else peer?.leave(performance.now());
  }

  #open(number: number, plan: Extract<ToPeers, { type: 'open' }>): void {
    const out = {
      notify: (message: Parameters<typeof controlOf>[1]) => void this.#pipe.write(controlOf(number, message)),
      data: (payload: Buffer) => void this.#pipe.write(frame(number, Kind.data, payload)),
      over: () => void this.#peers.delete(number),
    };
    const peer = new WorkerPeer(this.#library, `peer-${number}`, plan, out, performance.now());
    if (!peer.over) this.#peers.set(number, peer);
  }
}

const pipe = new Socket({ fd: PIPE });
pipe.on('error', () => process.exit(1));
// The library's own cleanup crashes after many connections, so that the process exits without it.
pipe.on('close', () => process.exit(0));
const peers = new Peers(await loadLibrary(), pipe);
const reader = new FrameReader((number, kind, payload) => peers.take(number, kind, payload));
pipe.on('data', (chunk: Buffer) => reader.read(chunk));
setInterval(() => peers.tick(performance.now()), TICK_MS);
pipe.write(controlOf(0, { type: 'ready' }));

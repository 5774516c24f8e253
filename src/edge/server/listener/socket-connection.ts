import type { Log } from '../../../foundation/platform/log.ts';
import type { SocketCounters } from '../../../foundation/platform/metrics.ts';
import type { AcceptedSocket, Socket, SocketHandler } from '../surface.ts';
import type { ReadLagMonitor } from './read-lag-monitor.ts';
import { SocketOwner, type SocketOwnerOptions } from './socket-owner.ts';
import type { UwsSocket } from './uws.ts';

export interface SocketConnectionOptions {
  readonly requestId: string;
  readonly accepted: AcceptedSocket;
  readonly limits: { readonly maxFrameBytes: number; readonly maxBufferedBytes?: number };
  readonly counters: SocketCounters;
  readonly log: Log;
  readonly readLag: ReadLagMonitor | null;
  readonly owner: SocketOwnerOptions;
}

const DEFAULT_BUFFERED_BYTES = 4 * 1024 * 1024;
const SENT = 1;
/** RFC 6455 reserves this code for a connection that ended without a close frame. */
export const ABNORMAL_CLOSURE = 1006;

export const SOCKET_CLOSE_CODES = {
  goingAway: 1001,
  tooBig: 1009,
  fault: 1011,
  tryLater: 1013,
  revoked: 4401,
} as const;

export class SocketConnection implements Socket {
  readonly requestId: string;
  readonly owner: SocketOwner;
  readonly #options: SocketConnectionOptions;
  readonly #openedAt = performance.now();
  #socket: UwsSocket<unknown> | null = null;
  #handler: SocketHandler | null = null;
  #closeCode: number | undefined;
  #behind = false;
  isOpen = false;

  constructor(options: SocketConnectionOptions) {
    this.#options = options;
    this.requestId = options.requestId;
    this.owner = new SocketOwner(options.owner, (reason) =>
      this.closeGracefully(SOCKET_CLOSE_CODES.revoked, reason),
    );
  }

  onOpened(socket: UwsSocket<unknown>): void {
    this.#socket = socket;
    this.isOpen = true;
    this.#options.counters.open++;
    try {
      this.#handler = this.#options.accepted.open(this);
    } catch (error) {
      this.#fail(error);
      return;
    }
    // The surface may have closed the socket inside `open`, before its handler was known.
    if (this.#socket === null) this.#notify(this.#closeCode ?? ABNORMAL_CLOSURE);
    else this.owner.onOpened();
  }

  verified(): void {
    this.owner.verified();
  }

  onFrame(data: Uint8Array, isBinary: boolean): void {
    if (data.byteLength > this.#options.limits.maxFrameBytes) {
      this.#oversized(this.#options.limits.maxFrameBytes);
      return;
    }
    try {
      this.#handler?.onMessage(data, isBinary);
    } catch (error) {
      this.#fail(error);
    }
  }

  #oversized(limit: number): void {
    const handler = this.#handler;
    if (handler?.onOversizedFrame) this.#guarded(() => handler.onOversizedFrame?.(limit));
    else this.closeGracefully(SOCKET_CLOSE_CODES.tooBig, `a frame can have at most ${limit} bytes`);
  }

  onSendBufferDrained(): void {
    if (!this.#behind) return;
    this.#behind = false;
    this.#guarded(() => this.#handler?.onSendBufferDrained?.());
  }

  onServerDraining(msLeft: number): void {
    this.#guarded(() => this.#handler?.onServerDraining?.(msLeft));
  }

  get bufferedBytes(): number {
    return this.#socket?.getBufferedAmount() ?? 0;
  }

  send(data: string | Uint8Array): boolean {
    const socket = this.#socket;
    if (socket === null) return true;
    const isBinary = typeof data !== 'string';
    const size = isBinary ? data.byteLength : data.length;
    const { counters, limits, readLag: reader } = this.#options;
    const limit = limits.maxBufferedBytes ?? DEFAULT_BUFFERED_BYTES;
    if (reader?.isLagging || (this.#behind && socket.getBufferedAmount() + size > limit)) {
      this.#behind = true;
      this.close(SOCKET_CLOSE_CODES.tryLater, 'the peer reads too slowly');
      return true;
    }
    counters.framesOut++;
    counters.bytesOut += size;
    const sent = socket.send(data, isBinary, false) === SENT;
    if (!sent) this.#behind = true;
    const question = reader?.nextPing();
    if (question) socket.ping(question);
    return sent;
  }

  onPong(question: string): void {
    this.#options.readLag?.onPong(question);
  }

  close(code: number, reason: string): void {
    const socket = this.#socket;
    if (socket === null) return;
    this.#closeCode = code;
    // A stalled reader would delay the close frame, and hold the memory of the queue, indefinitely.
    if (code === SOCKET_CLOSE_CODES.tryLater && this.#behind) socket.close();
    else socket.end(code, reason.slice(0, 120));
  }

  closeGracefully(code: number, reason: string): void {
    if (this.#socket === null) return;
    try {
      this.#handler?.onClosing?.(code);
    } catch (error) {
      this.#options.log.error({ err: error }, 'a socket handler failed');
    }
    this.close(code, reason);
  }

  onClosed(code: number): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#socket = null;
    this.owner.onClosed();
    const final = this.#closeCode ?? (code === 0 ? ABNORMAL_CLOSURE : code);
    const { counters } = this.#options;
    counters.open--;
    counters.closed(final, (performance.now() - this.#openedAt) / 1000);
    this.#options.log.info({ code: final }, 'socket closed');
    this.#notify(final);
  }

  #notify(code: number): void {
    const handler = this.#handler;
    if (handler === null) return;
    this.#handler = null;
    this.#guarded(() => handler.onClosed(code));
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#options.log.error({ err: error }, 'a socket handler failed');
    this.closeGracefully(SOCKET_CLOSE_CODES.fault, 'the server failed');
  }
}

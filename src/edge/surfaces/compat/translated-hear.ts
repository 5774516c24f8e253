import type { hear } from '../../../media/wire/index.ts';
import type { AcceptedSocket, Socket, SocketHandler } from '../../server/surface.ts';

/** A socket in a vendor's format over a Hear stream, which gets all events of the socket but its messages. */
export abstract class TranslatedHear implements SocketHandler {
  readonly #accepted: AcceptedSocket;
  #stream: SocketHandler | undefined;

  constructor(accepted: AcceptedSocket) {
    this.#accepted = accepted;
  }

  /** The stream, which a session opens in its own constructor, when it is able to take frames. */
  protected get stream(): SocketHandler {
    if (this.#stream === undefined) throw new Error('the Hear stream is not open');
    return this.#stream;
  }

  protected openStream(
    socket: Socket,
    notify: (frame: hear.ServerFrame) => boolean,
    close: (code: number, reason: string) => void,
  ): void {
    this.#stream = this.#accepted.open({
      requestId: socket.requestId,
      get bufferedBytes() {
        return socket.bufferedBytes;
      },
      send: (data) => notify(JSON.parse(data as string) as hear.ServerFrame),
      close,
    });
  }

  abstract onMessage(data: Uint8Array, isBinary: boolean): void;

  onSendBufferDrained(): void {
    this.stream.onSendBufferDrained?.();
  }

  onClosing(code: number): void {
    this.stream.onClosing?.(code);
  }

  onOversizedFrame(limit: number): void {
    this.stream.onOversizedFrame?.(limit);
  }

  onServerDraining(msLeft: number): void {
    this.stream.onServerDraining?.(msLeft);
  }

  onClosed(code: number): void {
    this.stream.onClosed(code);
  }
}

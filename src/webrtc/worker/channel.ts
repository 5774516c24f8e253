import type { DataChannel } from 'node-datachannel';

/** As large as the largest frame of a socket. */
export const MAX_MESSAGE_BYTES = 262_145;
/** A channel whose reader has gone away must not fill the memory. */
const MOST_WAITING_BYTES = 1024 * 1024;

export interface ChannelOut {
  opened(): void;
  message(bytes: Buffer): void;
}

/** The data channel of a peer: the first that the other side opens. Whatever else it opens is closed. */
export class Channel {
  readonly #out: ChannelOut;
  #channel: DataChannel | null = null;

  constructor(out: ChannelOut) {
    this.#out = out;
  }

  take(channel: DataChannel): void {
    if (this.#channel !== null) {
      channel.close();
      return;
    }
    this.#channel = channel;
    channel.onMessage((message) => this.#out.message(bytesOf(message)));
    if (channel.isOpen()) this.#out.opened();
    else channel.onOpen(() => this.#out.opened());
  }

  send(bytes: Buffer): void {
    const channel = this.#channel;
    if (channel?.isOpen() && channel.bufferedAmount() < MOST_WAITING_BYTES) channel.sendMessageBinary(bytes);
  }

  /** Bytes that are still on their way out. */
  get waiting(): number {
    return this.#channel?.isOpen() ? this.#channel.bufferedAmount() : 0;
  }
}

const bytesOf = (message: string | Buffer | ArrayBuffer): Buffer =>
  typeof message === 'string' || Buffer.isBuffer(message)
    ? Buffer.from(message as string)
    : Buffer.from(message);

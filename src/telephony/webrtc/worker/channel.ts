import type { DataChannel } from 'node-datachannel';
import type { CachedChannel } from './transport.ts';

/** The size equals the largest frame of a socket. */
export const MAX_MESSAGE_BYTES = 262_145;
/** The bound keeps a channel whose reader is gone from filling the memory. */
const MOST_WAITING_BYTES = 1024 * 1024;

export interface ChannelOut {
  opened(): void;
  message(bytes: Buffer): void;
}

/**
 * The data channel of a call is the first that the remote side opens, and survives an ICE restart. Further channels
 * are closed.
 */
export class WorkerDataChannel {
  readonly #out: ChannelOut;
  #channel: DataChannel | null = null;
  #dataChannel: CachedChannel | null = null;

  constructor(out: ChannelOut) {
    this.#out = out;
  }

  take(channel: DataChannel): void {
    if (this.#channel !== null) {
      channel.close();
      return;
    }
    this.#listen(channel);
    if (channel.isOpen()) this.#opened(channel);
    else channel.onOpen(() => this.#opened(channel));
  }

  get dataChannel(): CachedChannel | null {
    return this.#dataChannel;
  }

  moved(channel: DataChannel): void {
    this.#listen(channel);
  }

  #opened(channel: DataChannel): void {
    this.#dataChannel = { id: channel.getId(), label: channel.getLabel() };
    this.#out.opened();
  }

  #listen(channel: DataChannel): void {
    this.#channel = channel;
    channel.onMessage((message) => this.#out.message(bytesOf(message)));
  }

  /** Drops a message that is longer than the remote side accepts. */
  send(message: Buffer | string): void {
    const channel = this.#channel;
    if (!channel?.isOpen() || channel.bufferedAmount() >= MOST_WAITING_BYTES) return;
    if (Buffer.byteLength(message) > channel.maxMessageSize()) return;
    if (typeof message === 'string') channel.sendMessage(message);
    else channel.sendMessageBinary(message);
  }

  /** Returns whether it was open. */
  close(): boolean {
    const isOpen = this.#channel?.isOpen() === true;
    if (isOpen) this.#channel?.close();
    return isOpen;
  }

  get waiting(): number {
    return this.#channel?.isOpen() ? this.#channel.bufferedAmount() : 0;
  }
}

const bytesOf = (message: string | Buffer | ArrayBuffer): Buffer =>
  typeof message === 'string' || Buffer.isBuffer(message)
    ? Buffer.from(message as string)
    : Buffer.from(message);

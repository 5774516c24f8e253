import { frameError } from './errors.js';
import type { AmdServerAmd, AmdServerFrame } from './rest/types.gen.js';
import { type Address, Connection } from './sockets.js';

export type { AmdServerFrame };

export interface AmdOptions {
  /** 0 to 1: how soon, and how readily, it says machine. */
  readonly aggressiveness?: number;
  readonly mode?: 'detect' | 'message_end' | 'follow';
  readonly language?: string;
  /** E.164 of whom was called. */
  readonly to?: string;
  readonly callSid?: string;
}

export class Amd {
  readonly #address: Address;

  constructor(address: Address) {
    this.#address = address;
  }

  /** Who answered a call: send µ-law of 8 kHz as it comes, read verdicts. */
  async stream(options: AmdOptions = {}): Promise<AmdStream> {
    const connection = await Connection.open(this.#address, '/v1/amd/stream', {});
    return new AmdStream(connection, options);
  }
}

let streams = 0;

export class AmdStream implements AsyncIterable<AmdServerFrame> {
  readonly connection: Connection;
  readonly #streamSid = `MZ${(++streams).toString(16).padStart(32, '0')}`;
  #sequence = 0;

  constructor(connection: Connection, options: AmdOptions) {
    this.connection = connection;
    const { callSid = `CA${this.#streamSid.slice(2)}`, ...wishes } = options;
    const said = Object.entries(wishes).filter(([, value]) => value !== undefined);
    this.#notify({ event: 'connected', protocol: 'Call', version: '1.0.0' });
    this.#notify({
      event: 'start',
      start: {
        streamSid: this.#streamSid,
        callSid,
        tracks: ['inbound'],
        customParameters: Object.fromEntries(said.map(([name, value]) => [name, String(value)])),
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
      },
    });
  }

  /** µ-law, 8 kHz: what the called side says. */
  send(mulaw: Uint8Array): void {
    let text = '';
    for (const byte of mulaw) text += String.fromCharCode(byte);
    this.#notify({ event: 'media', media: { track: 'inbound', payload: btoa(text) } });
  }

  /** The call has ended. */
  stop(): void {
    this.#notify({ event: 'stop' });
  }

  #notify(message: object): void {
    const sequenceNumber = String(++this.#sequence);
    this.connection.send(JSON.stringify({ ...message, sequenceNumber, streamSid: this.#streamSid }));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AmdServerFrame, void> {
    for await (const message of this.connection) {
      if (typeof message !== 'string') continue;
      const frame = JSON.parse(message) as AmdServerFrame;
      if (frame.event === 'error') throw frameError(frame.error);
      yield frame;
    }
  }

  /** The verdict, once it is there; null where the stream ends without one. */
  async verdict(): Promise<AmdServerAmd | null> {
    for await (const frame of this) if (frame.event === 'amd') return frame;
    return null;
  }
}

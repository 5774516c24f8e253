import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { World } from './world.ts';

// biome-ignore lint/suspicious/noExplicitAny: frames of every kind.
export type Message = any;

/** The first byte of an Omni frame is its type. */
const CONTROL = 3;

export const agentStart = (api_key: string, agent_id: string) => ({
  event: 'start',
  streamSid: 'MZ1',
  start: { streamSid: 'MZ1', callSid: 'CA1', customParameters: { api_key, agent_id } },
});

export const carrierStarts = {
  telnyx: {
    event: 'start',
    stream_id: 'S1',
    start: { call_control_id: 'v3:1', media_format: { encoding: 'PCMU', sample_rate: 8000, channels: 1 } },
  },
  plivo: {
    event: 'start',
    start: { streamId: 'S1', callId: 'C1', mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 } },
    extra_headers: '{}',
  },
  exotel: {
    event: 'start',
    stream_sid: 'S1',
    start: { stream_sid: 'S1', call_sid: 'C1', account_sid: 'A1', media_format: { sample_rate: '8000' } },
  },
  vonage: { event: 'websocket:connected', 'content-type': 'audio/l16;rate=8000' },
} as const;

export const relaySetup = (api_key: string, agent_id: string) => ({
  type: 'setup',
  sessionId: 'VX1',
  callSid: 'CA1',
  from: '+14155550177',
  direction: 'inbound',
  customParameters: { api_key, agent_id },
});

export class SocketClient {
  readonly messages: Message[] = [];
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #tagged: boolean;
  #changed: (() => void)[] = [];

  constructor(world: World, address: string, key?: string, origin?: string) {
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(origin === undefined ? {} : { origin }),
    };
    this.#tagged = /^\/v1\/omni(\?|$)/.test(address);
    this.#socket = new WebSocket(`${world.url.replace('http', 'ws')}${address}`, { headers });
    this.#socket.on('message', (data: Buffer, isBinary) => this.#take(data, isBinary));
    this.closed = new Promise((resolve) => this.#socket.once('close', resolve));
  }

  async opened(): Promise<this> {
    await once(this.#socket, 'open');
    return this;
  }

  send(message: object): void {
    const text = Buffer.from(JSON.stringify(message));
    if (this.#tagged) this.#socket.send(Buffer.concat([Buffer.of(CONTROL), text]));
    else this.#socket.send(text.toString());
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes);
  }

  close(): void {
    this.#socket.close();
  }

  /** Breaks the connection without a close frame. */
  terminate(): void {
    this.#socket.terminate();
  }

  async until(is: (messages: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(is);
      if (found !== undefined) return found;
      const changed = new Promise<void>((resolve) => this.#changed.push(resolve));
      const gone = this.closed.then((code) => {
        throw new Error(`closed with ${code} after ${JSON.stringify(this.messages)}`);
      });
      await Promise.race([changed, gone]);
    }
  }

  #take(data: Buffer, isBinary: boolean): void {
    if (!isBinary) this.messages.push(JSON.parse(data.toString()));
    else if (this.#tagged && data[0] === CONTROL) this.messages.push(JSON.parse(data.subarray(1).toString()));
    for (const notify of this.#changed.splice(0)) notify();
  }
}

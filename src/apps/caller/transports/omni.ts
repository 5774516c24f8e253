import {
  CallRefusedError,
  type CallTransport,
  type CallTransportListener,
  type ControlEvent,
  type TranscriptPiece,
} from '../call-transport.ts';
import { LINE_RATE } from '../line-audio.ts';
import { CallAcceptance } from './call-acceptance.ts';
import { OpenSocket } from './socket.ts';

export interface OmniTransportOptions {
  readonly url: string;
  readonly key: string;
  readonly agentId?: string;
  readonly configure: Record<string, unknown>;
}

const AUDIO = 1;
const TRANSCRIPT = 2;
const CONTROL = 3;

export class OmniTransport implements CallTransport {
  readonly #options: OmniTransportOptions;
  #socket: OpenSocket | undefined;

  constructor(options: OmniTransportOptions) {
    this.#options = options;
  }

  async open(listener: CallTransportListener): Promise<void> {
    const { url, key, agentId, configure } = this.#options;
    const query = new URLSearchParams({ format: 'pcm16', rate: String(LINE_RATE) });
    if (agentId !== undefined) query.set('agent_id', agentId);
    const taken = new CallAcceptance();
    this.#socket = await OpenSocket.open(`${url.replace(/^http/, 'ws')}/v1/omni?${query}`, {
      headers: { authorization: `Bearer ${key}` },
      message: (data) => this.#receive(data, listener, taken),
      closed: (code) => {
        taken.reject(new CallRefusedError(`the call was closed with ${code} before it began`));
        listener.onClose(code);
      },
    });
    this.control({ type: 'configure', ...configure });
    await taken.wait();
  }

  audio(frame: Int16Array): void {
    this.#socket?.send(tagged(AUDIO, Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength)));
  }

  control(message: Record<string, unknown>): void {
    this.#socket?.send(tagged(CONTROL, Buffer.from(JSON.stringify(message))));
  }

  press(digits: string): void {
    this.control({ type: 'dtmf', digits });
  }

  async close(): Promise<void> {
    await this.#socket?.close(tagged(CONTROL, Buffer.from('{"type":"end"}')));
  }

  #receive(data: Buffer, listener: CallTransportListener, taken: CallAcceptance): void {
    const body = data.subarray(1);
    if (data[0] === AUDIO) {
      listener.onAudio(new Int16Array(Uint8Array.from(body).buffer));
      return;
    }
    const message = JSON.parse(body.toString()) as ControlEvent;
    if (data[0] === TRANSCRIPT) {
      const said = message as unknown as TranscriptPiece;
      if (said.role === 'agent' && said.final) listener.onSpeechEnd();
      listener.onTranscript(said);
      return;
    }
    if (message.event === 'barge_in') listener.onFlush();
    listener.onControl(message);
    if (message.event === 'configured') taken.resolve();
    const { error } = message as { error?: { code?: string; message?: string } };
    if (error?.code === 'capacity') taken.reject(new CallRefusedError('capacity'));
  }
}

const tagged = (tag: number, body: Uint8Array) => Buffer.concat([Buffer.of(tag), body]);

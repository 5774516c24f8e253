import type { CallTransport, CallTransportListener, ControlEvent } from '../call-transport.ts';
import { fromUlaw, toUlaw } from '../line-audio.ts';
import { CallAcceptance } from './call-acceptance.ts';
import { Downsampler, Upsampler } from './resample-pcm24.ts';
import { OpenSocket } from './socket.ts';

export interface RealtimeTransportOptions {
  readonly url: string;
  readonly key: string;
  readonly session?: Record<string, unknown>;
  /** The default is `ulaw`; some endpoints accept only `pcm`. */
  readonly sound?: RealtimeSound;
}

export type RealtimeSound = 'ulaw' | 'pcm';

interface Coding {
  readonly format: Readonly<Record<string, unknown>>;
  encode(frame: Int16Array): Buffer;
  decode(bytes: Buffer): Int16Array;
}

function codingOf(sound: RealtimeSound): Coding {
  if (sound === 'ulaw')
    return {
      format: { type: 'audio/pcmu' },
      encode: (frame) => Buffer.from(Uint8Array.from(frame, toUlaw)),
      decode: (bytes) => Int16Array.from(bytes, fromUlaw),
    };
  const [raised, lowered] = [new Upsampler(), new Downsampler()];
  return {
    format: { type: 'audio/pcm', rate: 24_000 },
    encode: (frame) => raised.frame(frame),
    decode: (bytes) => lowered.samples(bytes),
  };
}

/**
 * OpenAI's realtime protocol, as telephony uses it: one format in both directions, and turn detection by the server.
 */
export class RealtimeTransport implements CallTransport {
  readonly #options: RealtimeTransportOptions;
  #socket: OpenSocket | undefined;
  readonly #coding: Coding;
  #turn = 0;

  constructor(options: RealtimeTransportOptions) {
    this.#options = options;
    this.#coding = codingOf(options.sound ?? 'ulaw');
  }

  async open(listener: CallTransportListener): Promise<void> {
    const { url, key, session = {} } = this.#options;
    const taken = new CallAcceptance();
    this.#socket = await OpenSocket.open(url.replace(/^http/, 'ws'), {
      headers: { authorization: `Bearer ${key}` },
      message: (data) => this.#receive(JSON.parse(data.toString()) as ControlEvent, listener, taken),
      closed: (code) => {
        taken.reject(new Error(`the session was closed with ${code} before it began`));
        listener.onClose(code);
      },
    });
    const audio = {
      input: { format: this.#coding.format, turn_detection: { type: 'server_vad' } },
      output: { format: this.#coding.format },
    };
    this.control({ type: 'session.update', session: { type: 'realtime', audio, ...session } });
    await taken.wait();
  }

  audio(frame: Int16Array): void {
    const audio = this.#coding.encode(frame).toString('base64');
    this.control({ type: 'input_audio_buffer.append', audio });
  }

  control(message: Record<string, unknown>): void {
    this.#socket?.send(JSON.stringify(message));
  }

  press(): void {
    throw new Error('the realtime protocol carries no DTMF digits');
  }

  async close(): Promise<void> {
    await this.#socket?.close();
  }

  #receive(message: ControlEvent, listener: CallTransportListener, taken: CallAcceptance): void {
    const { type, delta, transcript } = message as { type?: string; delta?: string; transcript?: string };
    listener.onControl({ ...message, event: String(type) });
    switch (type) {
      case 'session.updated':
        taken.resolve();
        return;
      case 'error':
        taken.reject(new Error(JSON.stringify(message.error)));
        return;
      case 'response.audio.delta':
      case 'response.output_audio.delta':
        listener.onAudio(this.#coding.decode(Buffer.from(delta ?? '', 'base64')));
        return;
      // In this protocol, the client drops queued audio as soon as the caller speaks.
      case 'input_audio_buffer.speech_started':
        listener.onControl({ event: 'barge_in' });
        listener.onFlush();
        return;
      case 'response.done':
        this.#turn += 1;
        listener.onSpeechEnd();
        return;
      case 'response.audio_transcript.done':
      case 'response.output_audio_transcript.done':
        listener.onTranscript({ role: 'agent', turn_id: this.#turn, text: transcript ?? '', final: true });
        return;
      case 'conversation.item.input_audio_transcription.completed':
        listener.onTranscript({ role: 'user', turn_id: this.#turn, text: transcript ?? '', final: true });
    }
  }
}

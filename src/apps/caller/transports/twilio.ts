import type { CallTransport, CallTransportListener } from '../call-transport.ts';
import { fromUlaw, LINE_RATE, toUlaw } from '../line-audio.ts';
import { OpenSocket } from './socket.ts';

export interface TwilioTransportOptions {
  readonly url: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly headers?: Record<string, string>;
}

interface Mark {
  readonly at: number;
  readonly name: string;
}

export class TwilioTransport implements CallTransport {
  readonly #options: TwilioTransportOptions;
  readonly #streamSid = 'MZ00000000000000000000000000000000';
  readonly #callSid = `CA${String(Math.floor(Math.random() * 1e16)).padStart(32, '0')}`;
  #socket: OpenSocket | undefined;
  #chunk = 0;
  #sequence = 0;
  #playedUntil = 0;
  #marks: Mark[] = [];

  constructor(options: TwilioTransportOptions) {
    this.#options = options;
  }

  async open(listener: CallTransportListener): Promise<void> {
    const { url, headers, parameters = {} } = this.#options;
    this.#socket = await OpenSocket.open(url, {
      ...(headers === undefined ? {} : { headers }),
      message: (data) => this.#receive(data, listener),
      closed: (code) => listener.onClose(code),
    });
    this.#socket.send(JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' }));
    this.#notify('start', {
      start: {
        streamSid: this.#streamSid,
        accountSid: 'AC00000000000000000000000000000000',
        callSid: this.#callSid,
        tracks: ['inbound'],
        customParameters: parameters,
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: LINE_RATE, channels: 1 },
      },
    });
  }

  audio(frame: Int16Array): void {
    this.#chunk += 1;
    const payload = Buffer.from(Uint8Array.from(frame, toUlaw)).toString('base64');
    const timestamp = String((this.#chunk - 1) * 20);
    this.#notify('media', { media: { track: 'inbound', chunk: String(this.#chunk), timestamp, payload } });
    const now = performance.now();
    const played = this.#marks.filter(({ at }) => at <= now);
    this.#marks = this.#marks.filter(({ at }) => at > now);
    for (const { name } of played) this.#notify('mark', { mark: { name } });
  }

  control(message: Record<string, unknown>): void {
    this.#notify(String(message.event), message);
  }

  press(digits: string): void {
    for (const digit of digits) this.#notify('dtmf', { dtmf: { track: 'inbound_track', digit } });
  }

  async close(): Promise<void> {
    this.#notify('stop', { stop: { callSid: this.#callSid } });
    await this.#socket?.close();
  }

  #notify(event: string, body: object): void {
    this.#sequence += 1;
    const sequenceNumber = String(this.#sequence);
    this.#socket?.send(JSON.stringify({ event, sequenceNumber, streamSid: this.#streamSid, ...body }));
  }

  #receive(data: Buffer, listener: CallTransportListener): void {
    const message = JSON.parse(data.toString()) as {
      event: string;
      media?: { payload: string };
      mark?: { name: string };
    };
    if (message.event === 'media') {
      const bytes = Buffer.from(message.media?.payload ?? '', 'base64');
      this.#playedUntil = Math.max(performance.now(), this.#playedUntil) + bytes.length / 8;
      listener.onAudio(Int16Array.from(bytes, fromUlaw));
    } else if (message.event === 'mark') {
      const name = message.mark?.name ?? '';
      this.#marks.push({ at: this.#playedUntil, name });
      // A mark ends an utterance, except the marks that query the playout position.
      if (!name.startsWith('position:')) listener.onSpeechEnd();
    } else if (message.event === 'clear') {
      this.#playedUntil = performance.now();
      for (const { name } of this.#marks.splice(0)) this.#notify('mark', { mark: { name } });
      listener.onControl({ event: 'barge_in' });
      listener.onFlush();
    } else listener.onControl(message);
  }
}

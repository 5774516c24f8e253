import { WebSocket } from 'undici';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { TOKEN_PARAMETER } from '../streams/index.ts';
import { FarAudio } from './far-audio.ts';
import type { EchoOfFar } from './far-echo.ts';
import type { CallParty } from './far-end.ts';
import { ImpairedLink, type LineQuality } from './impaired-link.ts';

export interface FarStreamOptions {
  readonly clock: Clock;
  readonly url: string;
  readonly token: string;
  readonly callSid: string;
  readonly quality: LineQuality;
  readonly echo: EchoOfFar | null;
  readonly heard?: (sound: Uint8Array) => void;
  readonly cleared?: () => void;
  readonly gone: () => void;
}

export class FarStream {
  readonly audio: FarAudio;
  readonly #options: FarStreamOptions;
  readonly #socket: WebSocket;
  readonly #line: ImpairedLink;
  readonly #streamSid: string;
  #sequence = 1;
  #chunk = 0;
  #other: CallParty | null = null;

  constructor(options: FarStreamOptions) {
    const { clock, url, callSid, quality, echo, heard, cleared } = options;
    this.#options = options;
    this.#streamSid = `MZ${callSid.slice(2)}`;
    this.#socket = new WebSocket(url);
    this.#line = new ImpairedLink(clock, quality, callSid, (message) => this.#write(message));
    this.audio = new FarAudio({
      clock,
      echo,
      heard,
      cleared,
      send: (frame) => this.#media(frame),
      marked: (name) => this.#notify({ event: 'mark', mark: { name } }),
    });
    this.#socket.addEventListener('open', () => this.#opened());
    this.#socket.addEventListener('message', ({ data }) => this.#take(String(data)));
    this.#socket.addEventListener('close', () => this.#gone());
    this.#socket.addEventListener('error', () => this.#gone());
  }

  connectTo(other: CallParty, key: (digit: string) => void): CallParty {
    this.#other = other;
    this.audio.clear();
    return { hear: (sound) => this.audio.play(sound), clear: () => this.audio.clear(), key };
  }

  press(digit: string): void {
    if (this.#other !== null) this.#other.key(digit);
    else this.#notify({ event: 'dtmf', dtmf: { track: 'inbound_track', digit } });
  }

  stop(): void {
    this.audio.stop();
    this.#notify({ event: 'stop', stop: { accountSid: 'loopback', callSid: this.#options.callSid } });
    if (this.#socket.readyState <= WebSocket.OPEN) this.#socket.close(1000);
  }

  #opened(): void {
    const { callSid, token } = this.#options;
    this.#write(JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' }));
    this.#notify({
      event: 'start',
      start: {
        streamSid: this.#streamSid,
        accountSid: 'loopback',
        callSid,
        tracks: ['inbound'],
        customParameters: { [TOKEN_PARAMETER]: token },
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
      },
    });
    this.audio.start();
  }

  #take(text: string): void {
    const message = JSON.parse(text) as {
      event: string;
      media?: { payload: string };
      mark?: { name: string };
    };
    if (this.#other !== null) return;
    if (message.event === 'media') this.audio.play(Buffer.from(message.media?.payload ?? '', 'base64'));
    else if (message.event === 'clear') this.audio.clear();
    else if (message.event === 'mark') this.audio.mark(message.mark?.name ?? '');
  }

  #media(frame: Uint8Array): void {
    if (this.#other !== null) {
      this.#other.hear(frame);
      return;
    }
    const media = {
      track: 'inbound',
      chunk: String(++this.#chunk),
      timestamp: String((this.#chunk - 1) * 20),
      payload: Buffer.from(frame).toString('base64'),
    };
    this.#line.send(this.#numbered({ event: 'media', media }));
  }

  #notify(message: object): void {
    this.#write(this.#numbered(message));
  }

  #numbered(message: object): string {
    return JSON.stringify({
      ...message,
      sequenceNumber: String(this.#sequence++),
      streamSid: this.#streamSid,
    });
  }

  #write(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  #gone(): void {
    this.audio.stop();
    this.#options.gone();
  }
}

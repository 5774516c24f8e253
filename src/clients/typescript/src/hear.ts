import { frameError } from './errors.js';
import type { Rest } from './rest/sdk.gen.js';
import type { HearServerFrame, PostV1AudioTranscriptionsData } from './rest/types.gen.js';
import { type Address, type Bytes, Connection } from './sockets.js';

export type { HearServerFrame };

export interface HearStreamOptions {
  readonly language?: 'en' | 'es' | 'fr' | 'de' | 'hi' | 'it' | 'pt' | 'nl' | 'auto';
  readonly sampleRate?: 8000 | 16_000 | 24_000 | 44_100 | 48_000;
  /** Silence that ends an utterance, 100 to 3000. */
  readonly endpointingMs?: number;
}

type Wishes = Omit<PostV1AudioTranscriptionsData['body'], 'file' | 'response_format' | 'stream'>;

export class Hear {
  readonly #address: Address;
  readonly #rest: Rest;

  constructor(address: Address, rest: Rest) {
    this.#address = address;
    this.#rest = rest;
  }

  /** A recording as text: wav, mp3, m4a, flac, ogg or webm. */
  async transcribe(file: Blob, wishes: Wishes = {}): Promise<{ text: string; model: string }> {
    const answer = await this.#rest.postV1AudioTranscriptions({ body: { ...wishes, file } });
    return answer as { text: string; model: string };
  }

  /** Live recognition: send PCM16, read frames. */
  async stream(options: HearStreamOptions = {}): Promise<HearStream> {
    const { language, sampleRate, endpointingMs } = options;
    const connection = await Connection.open(this.#address, '/v1/audio/transcriptions/stream', {
      encoding: 'pcm16',
      language,
      sample_rate: sampleRate,
      endpointing_ms: endpointingMs,
    });
    return new HearStream(connection);
  }
}

/** Frames come by `for await`; store those of type `final` alone. An error frame is thrown as `TrunklineError`. */
export class HearStream implements AsyncIterable<HearServerFrame> {
  readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** PCM16 little-endian, one channel, at the stream's rate. */
  send(pcm: Bytes): void {
    this.connection.send(pcm);
  }

  /** Ends the open utterance now. */
  commit(): void {
    this.#control('commit');
  }

  keepalive(): void {
    this.#control('keepalive');
  }

  /** The last final and the usage still come; then the frames end. */
  finish(): void {
    this.#control('close');
  }

  #control(type: 'commit' | 'keepalive' | 'close'): void {
    this.connection.send(JSON.stringify({ type }));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<HearServerFrame, void> {
    for await (const message of this.connection) {
      if (typeof message !== 'string') continue;
      const frame = JSON.parse(message) as HearServerFrame;
      if (frame.type === 'error') throw frameError(frame.error);
      yield frame;
    }
  }

  /** Reads to the end: the text of every final, in order. */
  async text(): Promise<string> {
    const said: string[] = [];
    for await (const frame of this) if (frame.type === 'final' && frame.text) said.push(frame.text);
    return said.join(' ');
  }
}

import { randomUUID } from 'node:crypto';
import { ProviderError } from './contract.ts';
import { statusError, toProviderError } from './faults.ts';
import {
  describeRecognition,
  type RecognitionProvider,
  type RecognitionProviderOptions,
  type RecognitionRequest,
  type RecognitionStream,
} from './recognition.ts';

const WHOLE_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
const WAV_HEADER = 44;

/** A request has a whole utterance, so the provider hears nothing before its end. */
export function openAiRecognition(options: RecognitionProviderOptions): RecognitionProvider {
  return { ...describeRecognition(options), listen: (request) => new Utterance(options, request) };
}

class Utterance implements RecognitionStream {
  readonly #options: RecognitionProviderOptions;
  readonly #request: RecognitionRequest;
  readonly #pcm: Uint8Array[] = [];
  readonly #closing = new AbortController();
  #asked: { readonly pieces: number; readonly text: Promise<string> } | null = null;

  constructor(options: RecognitionProviderOptions, request: RecognitionRequest) {
    this.#options = options;
    this.#request = request;
  }

  push(pcm: Uint8Array): void {
    this.#pcm.push(Uint8Array.from(pcm));
  }

  text(): Promise<string> {
    if (this.#asked?.pieces !== this.#pcm.length)
      this.#asked = { pieces: this.#pcm.length, text: this.#ask(Buffer.concat(this.#pcm)) };
    return this.#asked.text;
  }

  close(): void {
    this.#closing.abort();
  }

  async #ask(pcm: Buffer): Promise<string> {
    const { gate, url, key, headers } = this.#options;
    const boundary = `trunkline-${randomUUID()}`;
    try {
      const response = await gate.fetch(endpointOf(url), {
        method: 'POST',
        headers: {
          'content-type': `multipart/form-data; boundary=${boundary}`,
          accept: 'application/json',
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...headers,
        },
        body: this.#form(pcm, boundary),
        maxBytes: MAX_BYTES,
        timeoutMs: WHOLE_MS,
        signal: this.#closing.signal,
      });
      const chunks: Buffer[] = [];
      for await (const chunk of response.body) chunks.push(chunk as Buffer);
      const said = Buffer.concat(chunks).toString('utf8');
      if (response.status !== 200) throw statusError(response.status, said);
      return textOf(said);
    } catch (error) {
      throw toProviderError(error);
    }
  }

  #form(pcm: Buffer, boundary: string): Buffer {
    const { model = 'whisper-1' } = this.#options;
    const { rate, language, vocabulary } = this.#request;
    const fields = {
      model,
      language,
      response_format: 'json',
      ...(vocabulary.length === 0 ? {} : { prompt: vocabulary.join(', ') }),
    };
    const parts = Object.entries(fields).map(
      ([name, value]) =>
        `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const file = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="speech.wav"\r\ncontent-type: audio/wav\r\n\r\n`;
    return Buffer.concat([
      Buffer.from(parts.join('') + file),
      wavHeader(rate, pcm.length),
      pcm,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]);
  }
}

function textOf(said: string): string {
  try {
    const { text } = JSON.parse(said) as { text?: unknown };
    if (typeof text === 'string') return text.trim();
  } catch {}
  throw new ProviderError('garbage', 'the provider’s response is not JSON with a text');
}

/** Azure needs the query after the path. */
function endpointOf(url: string): string {
  const at = new URL(url);
  at.pathname = `${at.pathname.replace(/(\/audio\/transcriptions)?\/*$/, '')}/audio/transcriptions`;
  return at.href;
}

function wavHeader(rate: number, bytes: number): Buffer {
  const header = Buffer.alloc(WAV_HEADER);
  header.write('RIFF', 0);
  header.writeUInt32LE(WAV_HEADER - 8 + bytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(bytes, 40);
  return header;
}

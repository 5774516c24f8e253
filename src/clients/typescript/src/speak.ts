import { errorOf } from './errors.js';
import type { PostV1AudioSpeechData } from './rest/types.gen.js';
import type { Address } from './sockets.js';

export type SpeechRequest = PostV1AudioSpeechData['body'];

export class Speak {
  readonly #address: Address;
  readonly #send: (request: Request) => Promise<Response>;

  constructor(address: Address, send: (request: Request) => Promise<Response>) {
    this.#address = address;
    this.#send = send;
  }

  /** Speech as it is made: read it by `for await`, or whole by `bytes()`. */
  async stream(speech: SpeechRequest, { signal }: { signal?: AbortSignal } = {}): Promise<Speech> {
    const { baseUrl, apiKey } = this.#address;
    const response = await this.#send(
      new Request(`${baseUrl}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(speech),
        ...(signal ? { signal } : {}),
      }),
    );
    if (!response.ok)
      throw errorOf(await response.json().catch(() => null), response.status, response.headers);
    return new Speech(response);
  }
}

export class Speech implements AsyncIterable<Uint8Array> {
  readonly response: Response;

  constructor(response: Response) {
    this.response = response;
  }

  /** The canonical id of the voice that speaks. */
  get voice(): string {
    return this.response.headers.get('x-svc-voice') ?? '';
  }

  get sampleRate(): number {
    return Number(this.response.headers.get('x-svc-sample-rate'));
  }

  get contentType(): string {
    return this.response.headers.get('content-type') ?? '';
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    const reader = this.response.body?.getReader();
    if (!reader) return;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        yield value;
      }
    } finally {
      await reader.cancel(); // whoever stops reading stops the synthesis
    }
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await this.response.arrayBuffer());
  }
}

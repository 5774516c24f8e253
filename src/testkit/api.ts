/** The server under test, by its public API alone. */
export class Api {
  readonly url: string;
  readonly key: string;
  readonly #spoken = new Map<string, Promise<Int16Array>>();
  readonly #signal: AbortSignal | undefined;

  /** `signal`: nothing is asked any more once it is aborted. */
  constructor(url: string, key: string, signal?: AbortSignal) {
    this.url = url.replace(/\/$/, '');
    this.key = key;
    this.#signal = signal;
  }

  /** The same server, asked whatever is aborted. */
  get lasting(): Api {
    return new Api(this.url, this.key);
  }

  async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.#fetch(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return JSON.parse(text) as T;
  }

  /** A text as 8 kHz PCM16; each is spoken once. */
  speech(input: string, voice: string): Promise<Int16Array> {
    const name = `${voice}\n${input}`;
    const known = this.#spoken.get(name) ?? this.#speak(input, voice);
    this.#spoken.set(name, known);
    return known;
  }

  async #speak(input: string, voice: string): Promise<Int16Array> {
    const response = await this.#fetch('POST', '/v1/audio/speech', {
      input,
      voice,
      response_format: 'pcm',
      sample_rate: 8000,
    });
    if (!response.ok) throw new Error(`the voice ${voice}: ${response.status} ${await response.text()}`);
    const bytes = await response.arrayBuffer();
    return new Int16Array(bytes.slice(0, bytes.byteLength & ~1));
  }

  #fetch(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(this.#signal === undefined ? {} : { signal: this.#signal }),
    });
  }

  /** The record of a call, which is written a moment after its connection closed; null where it never is. */
  async record(callId: string): Promise<CallRecord | null> {
    for (let tries = 0; tries < 50; tries++) {
      const response = await this.#fetch('GET', `/v1/omni/calls/${callId}`);
      if (response.ok) return (await response.json()) as CallRecord;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return null;
  }
}

export interface CallRecord {
  readonly call_id: string;
  readonly agent_id: string | null;
  readonly agent_version: number | null;
  readonly voice_id: string;
  readonly duration_s: number;
  readonly end_reason: string | null;
  readonly transcript?: {
    readonly entries: readonly {
      role: string;
      turn_id: number;
      text: string;
      start_ms: number;
      end_ms: number;
      interrupted: boolean;
    }[];
  };
}

/** Accesses the server under test only by its public API. */
export class ServerApi {
  readonly url: string;
  readonly key: string;
  readonly #spoken = new Map<string, Promise<Int16Array>>();
  readonly #signal: AbortSignal | undefined;

  constructor(url: string, key: string, signal?: AbortSignal) {
    this.url = url.replace(/\/$/, '');
    this.key = key;
    this.#signal = signal;
  }

  /** Returns a client that ignores the abort. */
  get lasting(): ServerApi {
    return new ServerApi(this.url, this.key);
  }

  async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.#fetch(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return JSON.parse(text) as T;
  }

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

  async #fetch(method: string, path: string, body?: unknown): Promise<Response> {
    const init: RequestInit = {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(this.#signal === undefined ? {} : { signal: this.#signal }),
    };
    try {
      return await fetch(this.url + path, init);
    } catch (error) {
      // `fetch` says nothing but that it failed; why is in the cause.
      const { cause } = error as Error;
      if (!(cause instanceof Error)) throw error;
      throw new Error(`${this.url} does not answer: ${cause.message}`, { cause: error });
    }
  }

  async sound(callId: string): Promise<Buffer | null> {
    for (let tries = 0; tries < 100; tries++) {
      const record = await this.record(callId);
      if (record?.recording_result?.status === 'pending') await pause(200);
      else if (record?.has_recording !== true) return null;
      else return await this.#bytes(`/v1/omni/calls/${callId}/recording`);
    }
    throw new Error(`the recording of ${callId} is not stored yet`);
  }

  async offeredTools(agentId: string, version: number | null): Promise<readonly OfferedTool[]> {
    const query = version === null ? '' : `?version=${version}`;
    const response = await this.#fetch('GET', `/v1/agents/${agentId}/prompt${query}`);
    return response.ok ? ((await response.json()) as { tools: OfferedTool[] }).tools : [];
  }

  async #bytes(path: string): Promise<Buffer> {
    const response = await this.#fetch('GET', path);
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return Buffer.from(await response.arrayBuffer());
  }

  /** The record is written shortly after the connection closes; null where it never is. */
  async record(callId: string): Promise<CallRecord | null> {
    for (let tries = 0; tries < 50; tries++) {
      const response = await this.#fetch('GET', `/v1/omni/calls/${callId}`);
      if (response.ok) return await this.#withTranscript((await response.json()) as CallRecord);
      await pause(100);
    }
    return null;
  }

  async #withTranscript(record: CallRecord): Promise<CallRecord> {
    if (record.transcript_url === undefined) return record;
    const text = (await this.#bytes(`/v1/omni/calls/${record.call_id}/transcript`)).toString();
    return { ...record, transcript: JSON.parse(text) as NonNullable<CallRecord['transcript']> };
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Record<string, unknown>;
}

export interface CallRecord {
  readonly call_id: string;
  readonly agent_id: string | null;
  readonly agent_version: number | null;
  readonly voice_id: string;
  readonly duration_s: number;
  readonly end_reason: string | null;
  readonly has_recording?: boolean;
  readonly recording_result?: { readonly status: string; readonly starts_at_ms?: number };
  readonly turns?: readonly { readonly turn_id: number; readonly latency_ms: { readonly total: number } }[];
  readonly tool_calls?: readonly {
    readonly turn_id: number;
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly at_ms: number;
    readonly took_ms: number | null;
    readonly result?: unknown;
    readonly error?: string;
  }[];
  readonly path?: readonly {
    readonly node: string;
    readonly left_by: string | null;
    readonly agent_id?: string;
  }[];
  readonly transcript_url?: string;
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

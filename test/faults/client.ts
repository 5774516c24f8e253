import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { ffmpeg, SPEECH } from '../media/codec/recordings.ts';
import type { ServerProcess } from './server-process.ts';

export const SHORT_RECORDING = join(SPEECH, 'an4/an163-mfaa-b.wav');

export const samplesOf = (file: string, rate: number): Buffer =>
  spawnSync(ffmpeg, ['-v', 'error', '-i', file, '-ac', '1', '-ar', `${rate}`, '-f', 's16le', '-'], {
    maxBuffer: 1 << 28,
  }).stdout;

export interface Answered {
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: number;
  readonly body: Buffer;
}

type Json = Record<string, unknown>;

export class Caller {
  readonly #served: ServerProcess;
  readonly key: string;

  constructor(served: ServerProcess, key: string) {
    this.#served = served;
    this.key = key;
  }

  async send(method: string, path: string, body?: Json | FormData): Promise<Answered> {
    const json = body !== undefined && !(body instanceof FormData);
    for (;;) {
      const response = await fetch(this.#served.url + path, {
        method,
        headers: {
          authorization: `Bearer ${this.key}`,
          ...(json ? { 'content-type': 'application/json' } : {}),
        },
        ...(body === undefined ? {} : { body: json ? JSON.stringify(body) : (body as FormData) }),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
      if (response.status === 429 && codeOf(bytes) === 'rate_limit_exceeded') {
        await new Promise((resolve) => setTimeout(resolve, 1000 * retryAfter));
        continue;
      }
      return { status: response.status, code: codeOf(bytes), retryAfter, body: bytes };
    }
  }

  upload(path: string, file: string | Buffer, fields: Record<string, string> = {}): Promise<Answered> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const bytes = typeof file === 'string' ? readFileSync(file) : file;
    form.append('file', new Blob([new Uint8Array(bytes)]), 'call.wav');
    return this.send('POST', path, form);
  }

  async stream(path: string, body: object): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    const response = await fetch(this.#served.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return response.body!.getReader();
  }

  socket(path: string): Line {
    const headers = { authorization: `Bearer ${this.key}` };
    return new Line(new WebSocket(this.#served.url.replace('http', 'ws') + path, { headers }));
  }
}

export interface JobView {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly text: string | null;
}

export async function endedJob(caller: Caller, accepted: Pick<Answered, 'body'>): Promise<JobView> {
  const { id } = JSON.parse(accepted.body.toString()) as JobView;
  for (;;) {
    const answer = await caller.send('GET', `/v1/transcription/jobs/${id}`);
    const job = JSON.parse(answer.body.toString()) as JobView;
    if (job.status === 'completed' || job.status === 'failed') return job;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

function codeOf(bytes: Buffer): string | undefined {
  try {
    return (JSON.parse(bytes.toString()) as { error?: { code?: string } }).error?.code;
  } catch {
    return undefined;
  }
}

export class Line {
  readonly socket: WebSocket;
  readonly frames: Json[] = [];
  readonly opened: Promise<void>;
  readonly closed: Promise<number>;
  #reported: (() => void)[] = [];

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.opened = new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', (code) => {
        resolve(code);
        this.#notify();
      });
    });
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary && data[0] !== 3) return;
      this.frames.push(JSON.parse((isBinary ? data.subarray(1) : data).toString()) as Json);
      this.#notify();
    });
  }

  async frame(wanted: (frame: Json) => boolean): Promise<Json> {
    await this.until(() => this.frames.some(wanted));
    return this.frames.find(wanted) as Json;
  }

  /** Resolves once `frames` are as they are waited for. */
  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) {
      if (this.socket.readyState >= WebSocket.CLOSING)
        throw new Error(`closed without the frame: ${JSON.stringify(this.frames)}`);
      await new Promise<void>((resolve) => this.#reported.push(resolve));
    }
  }

  json(frame: Json): void {
    this.socket.send(JSON.stringify(frame));
  }

  control(message: Json): void {
    this.socket.send(Buffer.concat([Buffer.of(3), Buffer.from(JSON.stringify(message))]));
  }

  #notify(): void {
    for (const resolve of this.#reported.splice(0)) resolve();
  }
}

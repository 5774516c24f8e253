import { performance } from 'node:perf_hooks';
import { expect } from 'vitest';
import type { WebSocket } from 'ws';

export const VOICE = 'joe_en_us';
export const GREETING = 'Good morning. How can I help you today?';

interface Event {
  readonly event: string;
  readonly call_id: string;
  readonly resumed?: true;
  readonly resume: { readonly token: string };
}

/** A client that reconnects, and goes on with its call, whenever its connection is lost. */
export class ResumingCall {
  id = '';
  resumes = 0;
  over = false;
  /** Milliseconds without audio after each lost connection. */
  readonly silences: number[] = [];
  readonly said: string[] = [];
  readonly #connect: () => WebSocket;
  readonly #configuration: object;
  #token = '';
  #socket: WebSocket;
  #brokeAt: number | null = null;
  #sending: NodeJS.Timeout;

  constructor(connect: () => WebSocket, configuration: object = { voice_id: VOICE, greeting: GREETING }) {
    this.#connect = connect;
    this.#configuration = configuration;
    this.#socket = this.#open();
    this.#sending = setInterval(() => {
      if (this.#socket.readyState === 1) this.#socket.send(Buffer.concat([Buffer.of(1), Buffer.alloc(640)]));
    }, 20);
  }

  control(message: object): void {
    this.#socket.send(Buffer.concat([Buffer.of(3), Buffer.from(JSON.stringify(message))]));
  }

  end(): void {
    this.over = true;
    clearInterval(this.#sending);
    if (this.#socket.readyState === 1) this.control({ type: 'end' });
  }

  #open(): WebSocket {
    const socket = this.#connect();
    socket.on('open', () =>
      this.control(
        this.#token === ''
          ? { type: 'configure', ...this.#configuration }
          : { type: 'configure', resume: this.#token },
      ),
    );
    socket.on('error', () => undefined);
    socket.on('unexpected-response', () => socket.terminate());
    socket.on('message', (data: Buffer) => this.#take(data));
    socket.on('close', () => {
      if (this.over) return;
      this.#brokeAt ??= performance.now();
      setTimeout(() => {
        if (!this.over) this.#socket = this.#open();
      }, 100);
    });
    return socket;
  }

  #take(data: Buffer): void {
    if (data[0] === 1 && data.length > 1 && this.#brokeAt !== null) {
      this.silences.push(performance.now() - this.#brokeAt);
      this.#brokeAt = null;
    }
    const text = data.subarray(1).toString();
    if (data[0] === 2) {
      const { role, text: words, final } = JSON.parse(text) as { role: string; text: string; final: boolean };
      if (final && role === 'agent') this.said.push(words);
    }
    if (data[0] !== 3) return;
    const event = JSON.parse(text) as Event;
    if (event.event !== 'configured') return;
    if (this.id !== '') expect(event.call_id).toBe(this.id);
    if (event.resumed) this.resumes += 1;
    this.id = event.call_id;
    this.#token = event.resume.token;
  }
}

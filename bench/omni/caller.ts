import { EventEmitter, once } from 'node:events';
import { WebSocket } from 'ws';
import { Ear } from './ear.ts';
import { FRAME, FRAME_MS, gained, overUlaw, RATE } from './sound.ts';

export type Control = { event: string } & Record<string, unknown>;

/** How much of what the caller's loudspeaker plays comes back through the microphone. */
export interface Echo {
  readonly db: number;
  readonly delayMs: number;
}

interface Told {
  readonly at: number;
  readonly role: string;
  readonly turn_id: number;
  readonly text: string;
  readonly final: boolean;
}

/** The server takes no further call. */
export class Refused extends Error {}

/** A caller on /v1/omni: speaks recordings in real time, hears through a playout buffer, and notes what it is told. */
export class Caller extends EventEmitter {
  /** Without a buffer: what the server sends is heard as it comes. By this one the caller goes. */
  readonly ear = new Ear();
  /** The same call through clients that keep some of it back. */
  readonly buffered = [60, 120].map((delayMs) => new Ear(delayMs));
  readonly controls: { at: number; message: Control }[] = [];
  readonly transcripts: Told[] = [];
  echo: Echo | null = null;
  readonly #ears = [this.ear, ...this.buffered];
  #socket: WebSocket;
  #timer: NodeJS.Timeout | undefined;
  #line: { samples: Int16Array; at: number; began: (at: number) => void }[] = [];
  #sent = 0;
  #began = 0;

  private constructor(socket: WebSocket) {
    super();
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#receive(data));
  }

  static async connect(url: string, key: string, configure: Record<string, unknown>): Promise<Caller> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/omni?format=pcm16&rate=${RATE}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const caller = new Caller(socket);
    await once(socket, 'open');
    caller.control({ type: 'configure', ...configure });
    const answer = await caller.until(({ event, code }) => event === 'configured' || code === 'capacity');
    if (answer.event !== 'configured') throw new Refused(String(answer.code));
    caller.#began = performance.now();
    caller.#timer = setInterval(() => caller.#tick(), 4);
    return caller;
  }

  control(message: Record<string, unknown>): void {
    this.#socket.send(Buffer.concat([Buffer.of(3), Buffer.from(JSON.stringify(message))]));
  }

  /** Speaks behind what is being spoken; resolves with the moment of its first sample once that has been spoken. */
  say(samples: Int16Array): Promise<number> {
    return new Promise((resolve) => this.#line.push({ samples, at: 0, began: resolve }));
  }

  /** The first control message since `from` that passes the test; null when none comes in time. */
  async next(test: (message: Control) => boolean, from: number, until: number): Promise<Control | null> {
    for (;;) {
      const known = this.controls.find(({ at, message }) => at >= from && test(message));
      if (known !== undefined) return known.message;
      const left = until - performance.now();
      if (left <= 0) return null;
      await once(this, 'control', { signal: AbortSignal.timeout(Math.ceil(left)) }).catch(() => undefined);
    }
  }

  async until(test: (message: Control) => boolean, ms = 30_000): Promise<Control> {
    const found = await this.next(test, 0, performance.now() + ms);
    if (found === null)
      throw new Error(`waited for an event that did not come: ${JSON.stringify(this.controls)}`);
    return found;
  }

  async hangUp(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.control({ type: 'end' });
    await once(this.#socket, 'close');
  }

  /** A frame leaves when its last sample has been spoken; between recordings the line carries silence. */
  #tick(): void {
    const now = performance.now();
    for (const ear of this.#ears) ear.advance(now);
    const due = Math.floor((now - this.#began) / FRAME_MS);
    for (; this.#sent < due; this.#sent++) this.#sendFrame(this.#began + this.#sent * FRAME_MS);
  }

  #sendFrame(at: number): void {
    const frame = new Int16Array(FRAME);
    const clip = this.#line[0];
    if (clip !== undefined) {
      frame.set(clip.samples.subarray(clip.at, clip.at + FRAME));
      if (clip.at === 0) clip.began(at);
      clip.at += FRAME;
      if (clip.at >= clip.samples.length) this.#line.shift();
    }
    const sent = this.echo === null ? frame : this.#withEcho(frame, at, this.echo);
    this.#socket.send(Buffer.concat([Buffer.of(1), Buffer.from(sent.buffer)]));
  }

  #withEcho(frame: Int16Array, at: number, { db, delayMs }: Echo): Int16Array {
    const back = gained(this.ear.sounded(at - delayMs, FRAME), db);
    return overUlaw(frame.map((sample, i) => sample + (back[i] as number)));
  }

  #receive(data: Buffer): void {
    const now = performance.now();
    const body = data.subarray(1);
    if (data[0] === 1) {
      const bytes = Uint8Array.from(body);
      for (const ear of this.#ears) ear.take(new Int16Array(bytes.buffer), now);
      return;
    }
    const message = JSON.parse(body.toString()) as Control;
    if (data[0] === 2) {
      const told = message as unknown as Omit<Told, 'at'>;
      this.transcripts.push({ at: now, ...told });
      if (told.role === 'agent' && told.final) for (const ear of this.#ears) ear.speechEnds();
      return;
    }
    if (message.event === 'barge_in') for (const ear of this.#ears) ear.flush(now);
    this.controls.push({ at: now, message });
    this.emit('control', message);
  }
}

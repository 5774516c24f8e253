import { EventEmitter, once } from 'node:events';
import { WebSocket } from 'ws';
import { Ear } from './ear.ts';
import { FRAME, RATE } from './sound.ts';

type Control = { event: string } & Record<string, unknown>;

/** A caller on /v1/omni: speaks recordings in real time, hears through a playout buffer, and notes what it is told. */
export class Caller extends EventEmitter {
  readonly ear = new Ear();
  readonly controls: { at: number; message: Control }[] = [];
  readonly transcripts: { at: number; role: string; turn_id: number; text: string; final: boolean }[] = [];
  #socket: WebSocket;
  #timer: NodeJS.Timeout | undefined;
  #line: { samples: Int16Array; at: number; done: (startedAt: number) => void }[] = [];
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
    await caller.until((message) => message.event === 'configured');
    caller.#began = performance.now();
    caller.#timer = setInterval(() => caller.#tick(), 5);
    return caller;
  }

  control(message: Record<string, unknown>): void {
    this.#socket.send(Buffer.concat([Buffer.of(3), Buffer.from(JSON.stringify(message))]));
  }

  /** Speaks behind what is being spoken; resolves with the moment of its first sample once its last has been sent. */
  say(samples: Int16Array): Promise<number> {
    return new Promise((resolve) => this.#line.push({ samples, at: 0, done: resolve }));
  }

  async until(test: (message: Control) => boolean, ms = 30_000): Promise<Control> {
    const known = this.controls.find(({ message }) => test(message));
    if (known !== undefined) return known.message;
    const signal = AbortSignal.timeout(ms);
    for (;;) {
      const [message] = (await once(this, 'control', { signal })) as [Control];
      if (test(message)) return message;
    }
  }

  async hangUp(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.control({ type: 'end' });
    await once(this.#socket, 'close');
  }

  /** Sends the frames that are due; between recordings the line carries silence. */
  #tick(): void {
    const now = performance.now();
    this.ear.advance(now);
    const due = Math.floor((now - this.#began) / 20);
    for (; this.#sent < due; this.#sent++) this.#sendFrame(this.#began + this.#sent * 20);
  }

  #sendFrame(at: number): void {
    const frame = new Int16Array(FRAME);
    const clip = this.#line[0];
    if (clip !== undefined) {
      frame.set(clip.samples.subarray(clip.at, clip.at + FRAME));
      if (clip.at === 0) this.emit('began', at);
      clip.at += FRAME;
      if (clip.at >= clip.samples.length) {
        this.#line.shift();
        clip.done(at - ((clip.at - FRAME) * 1000) / RATE);
      }
    }
    this.#socket.send(Buffer.concat([Buffer.of(1), Buffer.from(frame.buffer)]));
  }

  #receive(data: Buffer): void {
    const now = performance.now();
    const body = data.subarray(1);
    if (data[0] === 1) {
      const bytes = Uint8Array.from(body);
      this.ear.take(new Int16Array(bytes.buffer), now);
      this.emit('audio');
      return;
    }
    const message = JSON.parse(body.toString()) as Control;
    if (data[0] === 2) {
      this.transcripts.push({
        at: now,
        ...(message as unknown as Omit<(typeof this.transcripts)[number], 'at'>),
      });
      this.emit('transcript');
      return;
    }
    if (message.event === 'barge_in') this.ear.flush(now);
    this.controls.push({ at: now, message });
    this.emit('control', message);
  }
}

import type { Clock } from '../../../foundation/platform/clock.ts';
import type { MediaFormat, MediaLeg, MediaSink, MediaStats } from '../contract.ts';
import type { EchoMeter } from './echo-meter.ts';
import { LegMedia } from './leg-media.ts';
import { type StreamDialect, twilioDialect } from './stream-dialect.ts';

export interface TextSocket {
  send(data: string | Uint8Array): unknown;
  close(code: number, reason: string): void;
  verified?(): void;
}

export class StreamLeg implements MediaLeg {
  readonly format: MediaFormat = { codec: 'ulaw', rate: 8000 };
  readonly #wire: TextSocket;
  readonly #streamSid: string;
  readonly #sound: LegMedia;
  readonly #dialect: StreamDialect;
  readonly #marks = new Set<string>();
  #over = false;

  constructor(wire: TextSocket, streamSid: string, clock: Clock, dialect: StreamDialect = twilioDialect()) {
    this.#wire = wire;
    this.#dialect = dialect;
    this.#streamSid = streamSid;
    this.#sound = new LegMedia(clock);
  }

  watchWith(echoMeter: EchoMeter): void {
    this.#sound.watchWith(echoMeter);
  }

  bind(sink: MediaSink): void {
    this.#sound.bind(sink);
  }

  send(frames: Uint8Array): void {
    this.#sound.sent(frames);
    this.#notify(this.#dialect.media(this.#streamSid, frames));
  }

  clear(): void {
    this.#sound.clear();
    this.#notify(this.#dialect.clear(this.#streamSid));
    const waiting = [...this.#marks];
    this.#marks.clear();
    for (const name of waiting) this.#sound.marked(name);
  }

  mark(name: string): void {
    if (this.#dialect.forgetsMarks) this.#marks.add(name);
    this.#notify(this.#dialect.mark(this.#streamSid, name));
  }

  stats(): MediaStats {
    return this.#sound.stats();
  }

  take(chunk: number, frame: Uint8Array): void {
    if (frame.length > 0) this.#sound.take(chunk, frame);
  }

  marked(name: string): void {
    if (this.#dialect.forgetsMarks && !this.#marks.delete(name)) return;
    this.#sound.marked(name);
  }

  /** The carrier ends its stream with the socket; its call then ends with its own markup. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#sound.end();
    this.#wire.close(1000, 'the call has ended');
  }

  #notify(message: string | Uint8Array): void {
    if (!this.#over) this.#wire.send(message);
  }
}

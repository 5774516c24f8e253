import type { Clock } from '../../../foundation/platform/clock.ts';
import type { MediaFormat, MediaLeg, MediaSink, MediaStats } from '../contract.ts';
import type { EchoMeter } from './echo-meter.ts';
import { LegMedia } from './leg-media.ts';
import { type StreamDialect, twilioDialect } from './stream-dialect.ts';

/** The far end of a media stream: text goes there, and sound as bytes where its protocol has it so. */
export interface TextSocket {
  send(data: string | Uint8Array): unknown;
  close(code: number, reason: string): void;
  /** Its peer has shown that it belongs to a call. */
  verified?(): void;
}

/** One call's sound over a carrier's media stream, as its dialect writes it. The carrier plays what it is sent at its own pace. */
export class StreamLeg implements MediaLeg {
  readonly format: MediaFormat = { codec: 'ulaw', rate: 8000 };
  readonly #wire: TextSocket;
  readonly #streamSid: string;
  readonly #sound: LegMedia;
  readonly #dialect: StreamDialect;
  /** Marks that have not come back, of a carrier that forgets them when the sound is cleared. */
  readonly #marks = new Set<string>();
  #over = false;

  constructor(wire: TextSocket, streamSid: string, clock: Clock, dialect: StreamDialect = twilioDialect()) {
    this.#wire = wire;
    this.#dialect = dialect;
    this.#streamSid = streamSid;
    this.#sound = new LegMedia(clock);
  }

  /** Measures the echo of our audio from now on. */
  watchWith(echoMeter: EchoMeter): void {
    this.#sound.watchWith(echoMeter);
  }

  bind(sink: MediaSink): void {
    this.#sound.bind(sink);
  }

  send(frames: Uint8Array): void {
    this.#sound.sent(frames);
    this.#tell(this.#dialect.media(this.#streamSid, frames));
  }

  clear(): void {
    this.#sound.clear();
    this.#tell(this.#dialect.clear(this.#streamSid));
    const waiting = [...this.#marks];
    this.#marks.clear();
    for (const name of waiting) this.#sound.marked(name);
  }

  mark(name: string): void {
    if (this.#dialect.forgetsMarks) this.#marks.add(name);
    this.#tell(this.#dialect.mark(this.#streamSid, name));
  }

  stats(): MediaStats {
    return this.#sound.stats();
  }

  /** A frame of the other side, in u-law. */
  take(chunk: number, frame: Uint8Array): void {
    if (frame.length > 0) this.#sound.take(chunk, frame);
  }

  marked(name: string): void {
    if (this.#dialect.forgetsMarks && !this.#marks.delete(name)) return;
    this.#sound.marked(name);
  }

  /** The carrier ends a stream when its socket goes: the call goes on by its own markup, which ends there. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#sound.end();
    this.#wire.close(1000, 'the call has ended');
  }

  #tell(message: string | Uint8Array): void {
    if (!this.#over) this.#wire.send(message);
  }
}

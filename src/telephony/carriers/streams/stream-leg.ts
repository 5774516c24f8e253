import type { Clock } from '../../../foundation/platform/clock.ts';
import type { MediaFormat, MediaLeg, MediaSink, MediaStats } from '../contract.ts';
import type { EchoMeter } from './echo-meter.ts';
import { LegMedia } from './leg-media.ts';

/** The far end of a media stream: text goes there. */
export interface TextSocket {
  send(text: string): unknown;
  close(code: number, reason: string): void;
  /** Its peer has shown that it belongs to a call. */
  verified?(): void;
}

/** One call's sound over a carrier's media stream: u-law in base64, both ways. The carrier plays what it is sent at its own pace. */
export class StreamLeg implements MediaLeg {
  readonly format: MediaFormat = { codec: 'ulaw', rate: 8000 };
  readonly #wire: TextSocket;
  readonly #streamSid: string;
  readonly #sound: LegMedia;
  #over = false;

  constructor(wire: TextSocket, streamSid: string, clock: Clock) {
    this.#wire = wire;
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
    const payload = Buffer.from(frames.buffer, frames.byteOffset, frames.byteLength).toString('base64');
    this.#tell({ event: 'media', media: { payload } });
  }

  clear(): void {
    this.#sound.clear();
    this.#tell({ event: 'clear' });
  }

  mark(name: string): void {
    this.#tell({ event: 'mark', mark: { name } });
  }

  stats(): MediaStats {
    return this.#sound.stats();
  }

  /** A frame of the other side, in base64. */
  take(chunk: number, payload: string): void {
    const frame = Buffer.from(payload, 'base64');
    if (frame.length > 0) this.#sound.take(chunk, frame);
  }

  marked(name: string): void {
    this.#sound.marked(name);
  }

  /** The carrier ends a stream when its socket goes: the call goes on by its own markup, which ends there. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#sound.end();
    this.#wire.close(1000, 'the call has ended');
  }

  #tell(message: object): void {
    if (!this.#over) this.#wire.send(JSON.stringify({ ...message, streamSid: this.#streamSid }));
  }
}

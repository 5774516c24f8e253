import type { Clock } from '../../platform/clock.ts';
import type { MediaFormat, MediaLeg, MediaSink, MediaStats } from '../door.ts';
import { estimatedMos, StreamStats } from './stream-stats.ts';

/** The far end of a media stream: text goes there. */
export interface TextWire {
  send(text: string): unknown;
  close(code: number, reason: string): void;
}

/** Frames that wait for a sink: two seconds. */
const MOST_WAITING = 100;
const FRAME_BYTES = 160;

/** One call's sound over a carrier's media stream: u-law in base64, both ways. The carrier plays what it is sent at its own pace. */
export class StreamLeg implements MediaLeg {
  readonly format: MediaFormat = { codec: 'ulaw', rate: 8000 };
  readonly #wire: TextWire;
  readonly #streamSid: string;
  readonly #received: StreamStats;
  readonly #waiting: Uint8Array[] = [];
  #sent = 0;
  #sink: MediaSink | null = null;
  #over = false;

  constructor(wire: TextWire, streamSid: string, clock: Clock) {
    this.#wire = wire;
    this.#streamSid = streamSid;
    this.#received = new StreamStats(clock);
  }

  bind(sink: MediaSink): void {
    this.#sink = sink;
    for (const frame of this.#waiting.splice(0)) sink.audio(frame);
  }

  send(frames: Uint8Array): void {
    this.#sent += Math.ceil(frames.length / FRAME_BYTES);
    const payload = Buffer.from(frames.buffer, frames.byteOffset, frames.byteLength).toString('base64');
    this.#tell({ event: 'media', media: { payload } });
  }

  clear(): void {
    this.#tell({ event: 'clear' });
  }

  mark(name: string): void {
    this.#tell({ event: 'mark', mark: { name } });
  }

  stats(): MediaStats {
    const received = this.#received.read();
    const sent = { frames: this.#sent, lost: null, late: null, concealed: null, jitterMs: null };
    return { received, sent, mos: estimatedMos(received) };
  }

  /** A frame of the other side, in base64. */
  take(chunk: number, payload: string): void {
    const frame = Buffer.from(payload, 'base64');
    if (frame.length === 0) return;
    this.#received.frame(chunk);
    if (this.#sink !== null) this.#sink.audio(frame);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(frame);
  }

  marked(name: string): void {
    this.#sink?.marked?.(name);
  }

  /** The carrier ends a stream when its socket goes: the call goes on by its own markup, which ends there. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#wire.close(1000, 'the call has ended');
  }

  #tell(message: object): void {
    if (!this.#over) this.#wire.send(JSON.stringify({ ...message, streamSid: this.#streamSid }));
  }
}

import type { Clock } from '../../platform/clock.ts';
import type { MediaFormat, MediaLeg, MediaSink, MediaStats } from '../door.ts';
import { estimatedMos, StreamStats } from './stream-stats.ts';

/** The far end: text is control, bytes are sound. */
export interface BinaryWire {
  send(data: string | Uint8Array): unknown;
  close(code: number, reason: string): void;
}

type Command = 'ANSWER' | 'HANGUP' | 'FLUSH_MEDIA' | 'MARK_MEDIA';

/** Frames that wait for a sink: two seconds. */
const MOST_WAITING = 100;
const FRAME_BYTES = 160;

/** One call's sound over Asterisk's `chan_websocket`: u-law as it is, which Asterisk frames and plays at its own pace. */
export class AsteriskLeg implements MediaLeg {
  readonly format: MediaFormat = { codec: 'ulaw', rate: 8000 };
  readonly #wire: BinaryWire;
  readonly #json: boolean;
  readonly #received: StreamStats;
  readonly #waiting: Uint8Array[] = [];
  /** Names of marks that have not come back. */
  readonly #marks = new Map<string, string>();
  #nextMark = 1;
  #sent = 0;
  #chunk = 0;
  #sink: MediaSink | null = null;
  #over = false;

  constructor(wire: BinaryWire, json: boolean, clock: Clock) {
    this.#wire = wire;
    this.#json = json;
    this.#received = new StreamStats(clock);
  }

  bind(sink: MediaSink): void {
    this.#sink = sink;
    for (const frame of this.#waiting.splice(0)) sink.audio(frame);
  }

  send(frames: Uint8Array): void {
    this.#sent += Math.ceil(frames.length / FRAME_BYTES);
    if (!this.#over) this.#wire.send(frames);
  }

  /** Asterisk forgets the marks that it flushes: they come back from here. */
  clear(): void {
    this.tell('FLUSH_MEDIA');
    const waiting = [...this.#marks.values()];
    this.#marks.clear();
    for (const name of waiting) this.#sink?.marked?.(name);
  }

  /** A mark is known to Asterisk by a number: a plain line has no room for any name. */
  mark(name: string): void {
    const id = String(this.#nextMark++);
    this.#marks.set(id, name);
    this.tell('MARK_MEDIA', id);
  }

  stats(): MediaStats {
    const received = this.#received.read();
    const sent = { frames: this.#sent, lost: null, late: null, concealed: null, jitterMs: null };
    return { received, sent, mos: estimatedMos(received) };
  }

  tell(command: Command, id?: string): void {
    if (this.#over) return;
    const text = this.#json
      ? JSON.stringify({ command, ...(id === undefined ? {} : { correlation_id: id }) })
      : [command, ...(id === undefined ? [] : [id])].join(' ');
    this.#wire.send(text);
  }

  take(frame: Uint8Array): void {
    if (frame.length === 0) return;
    this.#received.frame(++this.#chunk);
    if (this.#sink !== null) this.#sink.audio(frame);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(frame.slice());
  }

  marked(id: string): void {
    const name = this.#marks.get(id);
    this.#marks.delete(id);
    if (name !== undefined) this.#sink?.marked?.(name);
  }

  end(): void {
    if (this.#over) return;
    this.tell('HANGUP');
    this.#over = true;
    this.#wire.close(1000, 'the call has ended');
  }
}

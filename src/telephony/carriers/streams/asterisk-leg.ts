import type { Clock } from '../../../foundation/platform/clock.ts';
import type { MediaFormat, MediaLeg, MediaSink, MediaStats } from '../contract.ts';
import { LegMedia } from './leg-media.ts';

export interface BinarySocket {
  send(data: string | Uint8Array): unknown;
  close(code: number, reason: string): void;
}

type Command = 'ANSWER' | 'HANGUP' | 'FLUSH_MEDIA' | 'MARK_MEDIA';

/** The audio of a call over Asterisk's `chan_websocket`, as u-law, which Asterisk frames and paces itself. */
export class AsteriskLeg implements MediaLeg {
  readonly format: MediaFormat = { codec: 'ulaw', rate: 8000 };
  readonly #wire: BinarySocket;
  readonly #json: boolean;
  readonly #sound: LegMedia;
  readonly #marks = new Map<string, string>();
  #nextMark = 1;
  #chunk = 0;
  #over = false;

  constructor(wire: BinarySocket, json: boolean, clock: Clock) {
    this.#wire = wire;
    this.#json = json;
    this.#sound = new LegMedia(clock);
  }

  bind(sink: MediaSink): void {
    this.#sound.bind(sink);
  }

  send(frames: Uint8Array): void {
    this.#sound.sent(frames);
    if (!this.#over) this.#wire.send(frames);
  }

  /** Asterisk drops the marks that it flushes, so that they come back from here. */
  clear(): void {
    this.notify('FLUSH_MEDIA');
    const waiting = [...this.#marks.values()];
    this.#marks.clear();
    for (const name of waiting) this.#sound.marked(name);
  }

  /** Asterisk gets a number for each mark, since the plain format can't hold every name. */
  mark(name: string): void {
    const id = String(this.#nextMark++);
    this.#marks.set(id, name);
    this.notify('MARK_MEDIA', id);
  }

  stats(): MediaStats {
    return this.#sound.stats();
  }

  notify(command: Command, id?: string): void {
    if (this.#over) return;
    const text = this.#json
      ? JSON.stringify({ command, ...(id === undefined ? {} : { correlation_id: id }) })
      : [command, ...(id === undefined ? [] : [id])].join(' ');
    this.#wire.send(text);
  }

  take(frame: Uint8Array): void {
    if (frame.length > 0) this.#sound.take(++this.#chunk, frame);
  }

  marked(id: string): void {
    const name = this.#marks.get(id);
    this.#marks.delete(id);
    if (name !== undefined) this.#sound.marked(name);
  }

  end(): void {
    if (this.#over) return;
    this.notify('HANGUP');
    this.#over = true;
    this.#wire.close(1000, 'the call has ended');
  }
}

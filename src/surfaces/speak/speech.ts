/** One request's speech on its way to its listener, and the count of what has left. */
import { Readable } from 'node:stream';
import { type Engine, type SpeakingManner, synthesizeJob } from '../../engine/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { joinManners } from './manners.ts';
import type { SpeakVoice } from './voices.ts';
import { millisecondsOf, type Piece, pieces, type Wire } from './wire.ts';

export interface SpeechOrder {
  readonly text: string;
  readonly voice: SpeakVoice;
  readonly wire: Wire;
  readonly manner: SpeakingManner;
  readonly signal?: AbortSignal;
}

export interface Ending {
  readonly milliseconds: number;
  /** All of it left; else the listener went, or the engine failed half-way. */
  readonly complete: boolean;
}

/** Speech that has begun: its first piece is there, so whatever can be refused has been refused. */
export class Speech {
  readonly #pieces: AsyncGenerator<Piece, void>;
  readonly #wire: Wire;
  #first: IteratorResult<Piece, void>;
  #samples = 0;

  private constructor(source: AsyncGenerator<Piece, void>, first: IteratorResult<Piece, void>, wire: Wire) {
    this.#pieces = source;
    this.#first = first;
    this.#wire = wire;
  }

  static async begin(engine: Engine, order: SpeechOrder): Promise<Speech> {
    const { voice, wire } = order;
    const manner = joinManners(voice.engine.manner, order.manner);
    const job = engine.submit(
      synthesizeJob,
      { voice: { ...voice.engine, manner }, rate: wire.rate, format: wire.engine },
      Buffer.from(order.text),
      order.signal,
    );
    const source = pieces(job.chunks(), wire);
    const first = await source.next();
    if (first.done) throw new ApiError('invalid_request', 'There is nothing to speak.', { param: 'input' });
    return new Speech(source, first, wire);
  }

  /** Milliseconds of speech in what was taken so far. */
  get milliseconds(): number {
    return millisecondsOf(this.#samples, this.#wire);
  }

  async whole(): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const bytes of this.#take()) parts.push(bytes);
    return Buffer.concat(parts);
  }

  /** `ended` is called once, whoever ended it. Nobody reads on: the work in the engine stops. */
  stream(ended: (ending: Ending) => void): Readable {
    const source = this.#take();
    let over = false;
    let complete = false;
    const end = () => {
      if (over) return;
      over = true;
      ended({ milliseconds: this.milliseconds, complete });
    };
    return new Readable({
      // A piece is counted when it is asked for: hold back no more than one.
      highWaterMark: 1,
      read() {
        source.next().then(
          ({ value, done }) => {
            complete = done === true;
            this.push(done ? null : value);
          },
          (error: Error) => this.destroy(error),
        );
      },
      destroy(error, callback) {
        end();
        source.return().then(
          () => callback(error),
          () => callback(error),
        );
      },
    });
  }

  async *#take(): AsyncGenerator<Buffer, void> {
    try {
      for (let next = this.#first; !next.done; next = await this.#pieces.next()) {
        this.#samples += next.value.samples;
        yield next.value.bytes;
      }
    } finally {
      await this.#pieces.return();
    }
  }
}

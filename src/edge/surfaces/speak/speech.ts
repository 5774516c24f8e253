import { Readable } from 'node:stream';
import { ApiError } from '../../../foundation/platform/errors.ts';
import {
  type CapacityShare,
  type Engine,
  type SpeakingManner,
  synthesizeJob,
} from '../../../media/engine/index.ts';
import { mergeManners, type ServedVoice } from '../../../speech/voices/index.ts';
import { type EncodedChunk, encodeSpeech, millisecondsOf, type OutputFormat } from './output-format.ts';

export interface SynthesisRequest {
  readonly text: string;
  readonly voice: ServedVoice;
  readonly wire: OutputFormat;
  readonly manner: SpeakingManner;
  readonly share: CapacityShare;
  readonly signal?: AbortSignal;
}

export interface SpeechOutcome {
  readonly milliseconds: number;
  readonly complete: boolean;
  /** The engine failed, and nothing is billed. When both are false, the listener disconnected. */
  readonly failed: boolean;
}

export const hasSpeakableText = (text: string): boolean => /[\p{L}\p{N}\p{Sc}\p{Sm}%&@#§°]/u.test(text);

export const noSpeakableTextError = (param: string): ApiError =>
  new ApiError('invalid_request', 'The text is empty: there is nothing to speak.', { param });

const PAUSE_SECONDS = 0.2;
const ZERO = { pcm16: 0, ulaw: 0xff, alaw: 0xd5 } as const;

async function* silence({ engine, rate }: OutputFormat): AsyncGenerator<Uint8Array, void> {
  yield new Uint8Array(PAUSE_SECONDS * rate * (engine === 'pcm16' ? 2 : 1)).fill(ZERO[engine]);
}

async function* unbilled(source: AsyncIterable<EncodedChunk>): AsyncGenerator<EncodedChunk, void> {
  for await (const { bytes } of source) yield { bytes, samples: 0 };
}

async function* reportOutcome(
  chunks: AsyncIterable<Uint8Array>,
  made: { all: boolean },
): AsyncGenerator<Uint8Array, void> {
  yield* chunks;
  made.all = true;
}

/** Represents speech whose first piece exists, so that no later check rejects the request. */
export class Speech {
  readonly #pieces: AsyncGenerator<EncodedChunk, void>;
  readonly #wire: OutputFormat;
  readonly #signal: AbortSignal | undefined;
  #first: IteratorResult<EncodedChunk, void>;
  #samples = 0;
  /** The encoder held everything back until all speech was made. */
  readonly isBuffered: boolean;

  private constructor(
    source: AsyncGenerator<EncodedChunk, void>,
    first: IteratorResult<EncodedChunk, void>,
    { wire, signal }: SynthesisRequest,
    isBuffered: boolean,
  ) {
    this.isBuffered = isBuffered;
    this.#pieces = source;
    this.#first = first;
    this.#wire = wire;
    this.#signal = signal;
  }

  static async begin(engine: Engine, order: SynthesisRequest): Promise<Speech> {
    const { voice, wire } = order;
    const manner = mergeManners(voice.engine.manner, order.manner);
    const job = engine.submit(
      synthesizeJob,
      { voice: { ...voice.engine, manner }, rate: wire.rate, format: wire.engine },
      Buffer.from(order.text),
      order.signal,
      order.share,
    );
    const made = { all: false };
    const source = encodeSpeech(reportOutcome(job.chunks(), made), wire);
    const first = await source.next();
    if (!first.done) return new Speech(source, first, order, made.all);
    if (!hasSpeakableText(order.text)) throw noSpeakableTextError('input');
    // Text without sound in this voice (in a script that it does not read) becomes a pause, not an error.
    const pause = unbilled(encodeSpeech(silence(wire), wire));
    return new Speech(pause, await pause.next(), order, made.all);
  }

  get milliseconds(): number {
    return millisecondsOf(this.#samples, this.#wire);
  }

  async whole(): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const bytes of this.#take()) parts.push(bytes);
    return Buffer.concat(parts);
  }

  /** Calls `ended` exactly once. When the reader stops, the work in the engine stops as well. */
  stream(ended: (ending: SpeechOutcome) => void): Readable {
    const source = this.#take();
    const signal = this.#signal;
    let over = false;
    let complete = false;
    let failed = false;
    const end = () => {
      if (over) return;
      over = true;
      ended({ milliseconds: failed ? 0 : this.milliseconds, complete, failed });
    };
    return new Readable({
      // A piece counts when it is requested, so no more than one is buffered.
      highWaterMark: 1,
      read() {
        source.next().then(
          ({ value, done }) => {
            complete = done === true;
            this.push(done ? null : value);
          },
          (error: Error) => {
            failed = signal?.aborted !== true;
            this.destroy(error);
          },
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

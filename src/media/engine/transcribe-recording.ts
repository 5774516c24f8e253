/** Transcribes a recording of any length window by window, with the memory of one window. */

import type { CapacityShare } from './capacity-share.ts';
import type { Engine } from './engine.ts';
import type { HearLanguage, RecognitionOptions } from './hear-options.ts';
import { readWindow, type TranscribedText, transcribeJob } from './kinds/transcribe.ts';
import { type EngineWord, milliseconds } from './transcript.ts';

export const RECORDING_RATE = 16_000;

const SAMPLE_BYTES = 2;
/** A window ends at a pause. It may last 30 s, so the piece is longer to include the pause after it. */
const WANTED_BYTES = 38 * RECORDING_RATE * SAMPLE_BYTES;

export interface RecognizedSegment {
  readonly text: string;
  readonly words: readonly EngineWord[];
  readonly start: number;
  readonly end: number;
  readonly language: HearLanguage | null;
}

/** A step marks how far a recording was transcribed. Resuming with `fromSample` neither loses nor doubles a word. */
export interface RecordingStep {
  readonly segment: RecognizedSegment | null;
  readonly doneSamples: number;
}

export interface RecordingOptions extends RecognitionOptions {
  readonly fromSample?: number;
  readonly expected?: HearLanguage;
  readonly task?: 'translate';
  readonly signal?: AbortSignal;
  readonly share?: CapacityShare;
}

/**
 * `pcm` is little-endian mono PCM16 at RECORDING_RATE, in pieces of any size. The stream is read no faster than its
 * windows are transcribed. Aborting `signal` ends the loop with its reason and cancels the work in the engine.
 */
export async function* transcribeRecording(
  engine: Engine,
  pcm: AsyncIterable<Uint8Array>,
  options: RecordingOptions = {},
): AsyncGenerator<RecordingStep, void, undefined> {
  const { fromSample = 0, signal, share, ...recognition } = options;
  const reader = new PieceReader(pcm);
  let done = fromSample;
  let { expected } = recognition;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { piece, last } = await reader.peek(WANTED_BYTES);
      if (piece.length < SAMPLE_BYTES) return;
      const job = engine.submit(
        transcribeJob,
        { ...recognition, ...(expected ? { expected } : {}), last },
        piece,
        signal,
        share,
      );
      const window = readWindow(await aborted(job.result(), signal), done / RECORDING_RATE);
      // A window without progress would repeat forever.
      const used = window.used > 0 ? window.used : piece.length / SAMPLE_BYTES;
      reader.skip(used * SAMPLE_BYTES);
      yield* stepsOf(window.texts, done + used);
      done += used;
      expected = window.texts.at(-1)?.language ?? expected;
      if (last && piece.length - used * SAMPLE_BYTES < SAMPLE_BYTES) return;
    }
  } finally {
    await reader.close();
  }
}

function* stepsOf(texts: readonly TranscribedText[], doneSamples: number): Generator<RecordingStep> {
  for (const [at, text] of texts.entries()) {
    const last = at === texts.length - 1;
    yield {
      segment: text.text === '' ? null : segmentOf(text),
      doneSamples: last ? doneSamples : Math.round(text.end * RECORDING_RATE),
    };
  }
}

function segmentOf({ text, words, start, end, language }: TranscribedText): RecognizedSegment {
  const first = words[0]?.start ?? start;
  const final = words[words.length - 1]?.end ?? end;
  return { text, words, start: milliseconds(first), end: milliseconds(final), language };
}

/** A cancelled job rejects with its own error, but the caller expects the reason of the abort. */
async function aborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await result;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

class PieceReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #parts: Uint8Array[] = [];
  #size = 0;
  #ended = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async peek(wanted: number): Promise<{ piece: Uint8Array; last: boolean }> {
    while (this.#size < wanted && !this.#ended) {
      const { value, done } = await this.#source.next();
      if (done) this.#ended = true;
      else this.#add(value);
    }
    const whole = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    this.#parts = [whole];
    const size = Math.min(whole.length, wanted);
    return {
      piece: whole.subarray(0, size - (size % SAMPLE_BYTES)),
      last: this.#ended && whole.length <= wanted,
    };
  }

  skip(bytes: number): void {
    const rest = this.#parts[0]!.subarray(bytes);
    // The copy releases the memory of the skipped bytes.
    this.#parts = rest.length === 0 ? [] : [Uint8Array.from(rest)];
    this.#size = rest.length;
  }

  async close(): Promise<void> {
    if (!this.#ended) await this.#source.return?.();
  }

  #add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#parts.push(bytes);
    this.#size += bytes.length;
  }
}

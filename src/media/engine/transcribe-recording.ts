/** A recording of any length to words, a window at a time, with memory for one window. */

import type { CapacityShare } from './capacity-share.ts';
import type { Engine } from './engine.ts';
import type { HearLanguage, RecognitionOptions } from './hear-options.ts';
import { readWindow, type TranscribedText, transcribeJob } from './kinds/transcribe.ts';
import { type EngineWord, milliseconds } from './transcript.ts';

export const RECORDING_RATE = 16_000;

const SAMPLE_BYTES = 2;
/** A window is cut where a pause is seen: more than the 30 s of the longest, so that the pause after it is seen too. */
const WANTED_BYTES = 38 * RECORDING_RATE * SAMPLE_BYTES;

export interface RecognizedSegment {
  readonly text: string;
  readonly words: readonly EngineWord[];
  /** Seconds from the recording's start. */
  readonly start: number;
  readonly end: number;
  readonly language: HearLanguage | null;
}

/** A step marks how far a recording was transcribed. Resuming with `fromSample` neither loses nor doubles a word. */
export interface RecordingStep {
  /** The segment is null when nobody spoke in it. */
  readonly segment: RecognizedSegment | null;
  /** Samples at 16 kHz, from the recording's start, that are done with. */
  readonly doneSamples: number;
}

export interface RecordingOptions extends RecognitionOptions {
  /** `pcm` begins at this sample of the recording. */
  readonly fromSample?: number;
  /** The language that is likely at the beginning; afterwards, the last detected language is expected. */
  readonly expected?: HearLanguage;
  /** The texts are what was said in English. */
  readonly task?: 'translate';
  readonly signal?: AbortSignal;
  /** The capacity share of the recording; the server's own work is live. */
  readonly share?: CapacityShare;
}

/**
 * `pcm`: PCM16 little-endian, one channel, at RECORDING_RATE, in pieces of any size. The stream is read no faster than
 * its windows are transcribed. Aborting `signal` ends the loop with its reason and stops the work in the engine.
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
      // A window that uses nothing would be asked for for ever.
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

/** Up to the end of one text everything before it is done with, up to the window's end everything. */
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

/** A cancelled job ends with an error of its own; whoever aborted wants their reason. */
async function aborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await result;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** Looks ahead in a stream of bytes. */
class PieceReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #parts: Uint8Array[] = [];
  #size = 0;
  #ended = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Up to `wanted` bytes from where the reader is, in whole samples; fewer only at the end. */
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
    // A copy: what was skipped is not kept alive by what is left.
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

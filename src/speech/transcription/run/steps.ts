import type { Environment } from '../../../foundation/access/contract.ts';
import type { RecognitionStep, Recognizer, SpeechSpan } from '../contract.ts';
import type { SpooledAudio } from './spool.ts';

/** The main language is determined from this much of a recording before any span is yielded. */
const LISTENED_SECONDS = 60;
/** A language detected in a shorter span is uncertain. */
const SURE_SECONDS = 1.5;

export interface Reading {
  readonly audio: SpooledAudio;
  readonly channel: number;
  readonly from: number;
  readonly expected: string | null;
  readonly vocabulary: readonly string[];
  readonly recognizer: Recognizer;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

type Spoken = Pick<SpeechSpan, 'start' | 'end' | 'language'>;

export function mainLanguage(spans: readonly Spoken[]): string | null {
  const seconds = new Map<string, number>();
  for (const { language, start, end } of spans) {
    if (language) seconds.set(language, (seconds.get(language) ?? 0) + end - start);
  }
  return [...seconds].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

const read = (
  { audio, channel, recognizer, vocabulary, environment, signal }: Reading,
  from: number,
  expected: string | null,
) =>
  recognizer.transcribe(audio.from(channel, from), {
    from,
    language: null,
    expected,
    vocabulary,
    environment,
    signal,
  });

/**
 * Yields all speech of one channel from `from` on, each utterance in its own language. A call often begins with a
 * word or two whose language only the rest reveals, so an uncertain beginning is transcribed again.
 */
export async function* stepsOf(reading: Reading): AsyncGenerator<RecognitionStep> {
  let { from, expected } = reading;
  if (expected === null) {
    const heard: RecognitionStep[] = [];
    for await (const step of read(reading, from, null)) {
      heard.push(step);
      if (step.done - from >= LISTENED_SECONDS) break;
    }
    const spans = heard.flatMap(({ span }) => span ?? []);
    const main = mainLanguage(spans);
    const doubted = spans.some(({ language, start, end }) => language !== main && end - start < SURE_SECONDS);
    expected = main;
    if (!doubted) {
      yield* heard;
      from = heard.at(-1)?.done ?? reading.audio.seconds;
      expected = spans.at(-1)?.language ?? null;
    }
  }
  if (from < reading.audio.seconds) yield* read(reading, from, expected);
}

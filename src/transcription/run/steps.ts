import type { Environment } from '../../access/contract.ts';
import type { Recognizer, Step } from '../contract.ts';
import type { SpooledAudio } from './spool.ts';

/** How much of a call is listened to before its language is settled. */
const LISTENED_SECONDS = 60;

export interface Reading {
  readonly audio: SpooledAudio;
  readonly channel: number;
  /** Seconds: where an earlier try came to. */
  readonly from: number;
  /** Of the whole call; null until it was found. */
  readonly language: string | null;
  readonly vocabulary: readonly string[];
  readonly recognizer: Recognizer;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** The language of most of the speech. */
export function mainLanguage(steps: readonly Step[]): string | null {
  const seconds = new Map<string, number>();
  for (const { stretch } of steps) {
    if (!stretch?.language) continue;
    seconds.set(stretch.language, (seconds.get(stretch.language) ?? 0) + stretch.end - stretch.start);
  }
  return [...seconds].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

const read = (
  { audio, channel, recognizer, vocabulary, environment, signal }: Reading,
  from: number,
  language: string | null,
) => recognizer.transcribe(audio.from(channel, from), { from, language, vocabulary, environment, signal });

/** Everything said in one channel from `from` on, in order. A call has one language: where its beginning was heard
 * in several, most of it decides, and that beginning is read again. */
export async function* stepsOf(reading: Reading): AsyncGenerator<Step> {
  let { from, language } = reading;
  while (language === null && from < reading.audio.seconds) {
    const heard: Step[] = [];
    for await (const step of read(reading, from, null)) {
      heard.push(step);
      if (step.done - from >= LISTENED_SECONDS) break;
    }
    const last = heard.at(-1);
    if (!last) return;
    language = mainLanguage(heard);
    const agreed = heard.every(({ stretch }) => !stretch?.language || stretch.language === language);
    if (agreed) {
      yield* heard;
      from = last.done;
    }
  }
  if (from < reading.audio.seconds) yield* read(reading, from, language);
}

import type { JobKind } from '../contract.ts';
import {
  flattenRecognition,
  HEAR_LANGUAGES,
  type HearLanguage,
  type RecognitionOptions,
} from '../hear-options.ts';
import { BodyReader } from '../packed-records.ts';
import { type EngineTranscript, readTranscript } from '../transcript.ts';

export interface TranscribeOptions extends RecognitionOptions {
  /** Nothing follows the input. */
  readonly last: boolean;
  /** The language of what came before, where none is pinned. */
  readonly expected?: HearLanguage;
  /** The task translates any language into English; its words have no times. */
  readonly task?: 'translate';
}

/** The first window of a piece of a recording; native/lanes/hear/transcribe_job.h tells the contract. */
export const transcribeJob: JobKind<TranscribeOptions> = {
  name: 'transcribe',
  flatten: (options) => ({
    ...flattenRecognition(options),
    last: options.last,
    task: options.task,
    expected: options.expected,
  }),
};

export interface TranscribedText extends EngineTranscript {
  /** Seconds from the recording's start. */
  readonly start: number;
  readonly end: number;
  /** The language is null when nobody spoke. It is internal and never reaches a customer. */
  readonly language: HearLanguage | null;
}

export interface TranscribedWindow {
  /** Samples of the input that are done with: the next piece begins there. */
  readonly used: number;
  /** In order, at least one. */
  readonly texts: readonly TranscribedText[];
}

/** `shift`: where the input begins, in seconds of the recording. */
export function readWindow(chunk: Uint8Array, shift: number): TranscribedWindow {
  const reader = new BodyReader(chunk);
  const used = reader.u32();
  const texts: TranscribedText[] = [];
  while (reader.remaining > 0) {
    const language = HEAR_LANGUAGES[reader.u32()] ?? null;
    const start = reader.f64() + shift;
    const end = reader.f64() + shift;
    texts.push({ language, start, end, ...readTranscript(reader, shift) });
  }
  return { used, texts };
}

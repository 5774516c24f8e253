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
  readonly last: boolean;
  readonly expected?: HearLanguage;
  readonly task?: 'translate';
}

/** Transcribes the first window of a piece of a recording; native/lanes/hear/transcribe_job.h has the contract. */
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
  readonly start: number;
  readonly end: number;
  /** The language is null for a window without speech. It is internal and never reaches a customer. */
  readonly language: HearLanguage | null;
}

export interface TranscribedWindow {
  readonly used: number;
  readonly texts: readonly TranscribedText[];
}

/** `shift` is the position of the input in the recording, in seconds. */
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

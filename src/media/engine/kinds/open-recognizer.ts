import type { JobKind } from '../contract.ts';
import { BodyReader } from '../packed-records.ts';

export interface OpenRecognizerOptions {
  /** The folder of an added recognizer; nothing is opened when absent. */
  readonly recognizer?: string;
  /** The folders of all that stay open. */
  readonly keep?: readonly string[];
}

export interface OpenedRecognizer {
  /** The processor time that recognizing three seconds of speech takes. */
  readonly finalSeconds: number;
  readonly bands: number;
  readonly layers: number;
  readonly heads: number;
  readonly width: number;
  readonly vocabulary: number;
  readonly englishOnly: boolean;
}

/** Opens an added recognizer, so that lanes and jobs may name it; native/lanes/hear/open_recognizer_job.h has the contract. */
export const openRecognizerJob: JobKind<OpenRecognizerOptions> = {
  name: 'open_recognizer',
  flatten: ({ recognizer, keep }) => ({ recognizer, keep: keep && [...keep] }),
};

export function readOpenedRecognizer(chunk: Uint8Array): OpenedRecognizer {
  const reader = new BodyReader(chunk);
  const finalSeconds = reader.f64();
  const [bands, layers, heads, width, vocabulary] = Array.from({ length: 5 }, () => reader.u32()) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return { finalSeconds, bands, layers, heads, width, vocabulary, englishOnly: reader.u32() === 1 };
}

import type { JobKind } from '../contract.ts';
import { BodyReader } from '../packed-records.ts';

export interface OpenRecognizerOptions {
  /** The folder of an added recognizer. */
  readonly recognizer?: string;
  /** The folder of an added quick recognizer. Nothing is opened when both are absent. */
  readonly quick?: string;
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

export interface OpenedQuickRecognizer {
  /** The processor time that a partial takes. */
  readonly partialSeconds: number;
  readonly layers: number;
  readonly heads: number;
  readonly width: number;
  readonly vocabulary: number;
  /** The text of the input, 16-bit samples at 16 kHz. */
  readonly heard: string;
}

/** Opens an added recognizer, so that lanes and jobs may name it; native/lanes/hear/open_recognizer_job.h has the contract. */
export const openRecognizerJob: JobKind<OpenRecognizerOptions> = {
  name: 'open_recognizer',
  flatten: ({ recognizer, quick, keep }) => ({ recognizer, quick, keep: keep && [...keep] }),
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

export function readOpenedQuickRecognizer(chunk: Uint8Array): OpenedQuickRecognizer {
  const reader = new BodyReader(chunk);
  const partialSeconds = reader.f64();
  const [layers, heads, width, vocabulary] = [reader.u32(), reader.u32(), reader.u32(), reader.u32()];
  return { partialSeconds, layers, heads, width, vocabulary, heard: reader.text() };
}

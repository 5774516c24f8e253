import type { Environment } from '../../foundation/access/contract.ts';
import type { AddedEncoder } from '../../media/engine/index.ts';

export const SAMPLE_RATE = 16_000;
export const BYTES_PER_SECOND = SAMPLE_RATE * 2;

export interface RecognizedWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** A span is the speech between two pauses. Times are seconds from the start of the recording. */
export interface SpeechSpan {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly words: readonly RecognizedWord[];
  /** The language is null when the words do not determine one. */
  readonly language: string | null;
}

export interface RecognitionStep {
  readonly span: SpeechSpan | null;
  /** The recording is transcribed up to this position, where a retry resumes. */
  readonly done: number;
}

export interface RecognizeOptions {
  readonly from: number;
  readonly language: string | null;
  readonly expected?: string | null;
  readonly vocabulary: readonly string[];
  /** The texts are English translations without word times. */
  readonly translates?: boolean;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

export interface Recognizer {
  /** Consumes audio no faster than it recognizes it, and yields each span as soon as it is known. */
  transcribe(pcm: AsyncIterable<Buffer>, options: RecognizeOptions): AsyncIterable<RecognitionStep>;
}

/** The pieces of two people overlap where they speak at once. */
export interface SpeakerEmbedding {
  readonly start: number;
  readonly end: number;
  readonly alone: number;
  /** The vectors of different voices are more alike on a telephone line. */
  readonly narrow: boolean;
  /** The embedding has unit length; it is null where the person speaks too little alone. */
  readonly vector: Float32Array | null;
  /** The encoder that made the vector; absent for the bundled one. */
  readonly encoder?: Pick<AddedEncoder, 'id' | 'bounds'>;
}

export interface SpeakerEmbedder {
  voices(pcm: Buffer, environment: Environment, signal: AbortSignal): Promise<readonly SpeakerEmbedding[]>;
}

import type { Environment } from '../../foundation/access/contract.ts';

export const SAMPLE_RATE = 16_000;
export const BYTES_PER_SECOND = SAMPLE_RATE * 2;

export interface RecognizedWord {
  readonly word: string;
  /** Seconds. */
  readonly start: number;
  readonly end: number;
}

/** A stretch is the speech between two pauses. Times are seconds from the start of the recording. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly words: readonly RecognizedWord[];
  /** The language is null when the words do not tell. */
  readonly language: string | null;
}

export interface RecognitionStep {
  /** The stretch is null when nobody spoke in it. */
  readonly stretch: Stretch | null;
  /** Up to here the recording is done with, and can be taken up again. */
  readonly done: number;
}

export interface RecognizeOptions {
  /** The position of the audio in the recording, in seconds. */
  readonly from: number;
  /** A null language is detected for each utterance. */
  readonly language: string | null;
  /** The language that is likely at the beginning. */
  readonly expected?: string | null;
  readonly vocabulary: readonly string[];
  /** The texts are what was said in English, without words of their own. */
  readonly translates?: boolean;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

export interface Recognizer {
  /** Reads audio no faster than it recognizes it, and gives each stretch as soon as it is known. */
  transcribe(pcm: AsyncIterable<Buffer>, options: RecognizeOptions): AsyncIterable<RecognitionStep>;
}

/** A piece of speech of one person, from `start` to `end`. Pieces overlap where people do. */
export interface SpeakerEmbedding {
  readonly start: number;
  readonly end: number;
  /** Seconds in which nobody else speaks. */
  readonly alone: number;
  /** Whether it came over a telephone line, where voices are more alike. */
  readonly narrow: boolean;
  /** The embedding has unit length; it is null where the person speaks too little alone. */
  readonly vector: Float32Array | null;
}

export interface SpeakerEmbedder {
  /** Who speaks when in a block of audio, in pieces of a few seconds. */
  voices(pcm: Buffer, environment: Environment, signal: AbortSignal): Promise<readonly SpeakerEmbedding[]>;
}

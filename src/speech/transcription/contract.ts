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

/** The voice that was heard from `start` to `end`. */
export interface SpeakerEmbedding {
  readonly start: number;
  readonly end: number;
  /** The embedding has unit length. */
  readonly vector: Float32Array;
}

export interface SpeakerEmbedder {
  /** Voices in a block of audio, a window every 0.8 s or so. */
  voices(pcm: Buffer, environment: Environment, signal: AbortSignal): Promise<readonly SpeakerEmbedding[]>;
}

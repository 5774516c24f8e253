/** What the transcription of a file needs of other rooms; composed in main.ts. All audio here is 16 kHz PCM16. */
export const SAMPLE_RATE = 16_000;
export const BYTES_PER_SECOND = SAMPLE_RATE * 2;

export interface Word {
  readonly word: string;
  /** Seconds. */
  readonly start: number;
  readonly end: number;
}

export interface Stretch {
  /** Seconds from the start of what was given. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly words: readonly Word[];
  readonly language: string;
}

export interface RecognizeOptions {
  /** Null: found in the audio. */
  readonly language: string | null;
  readonly vocabulary: readonly string[];
  readonly signal: AbortSignal;
}

export interface Recognizer {
  /** What is said in a block of audio, cut at silences, in order, each as soon as it is known. */
  transcribe(pcm: Buffer, options: RecognizeOptions): AsyncIterable<Stretch>;
}

/** The voice that was heard from `start` to `end`. */
export interface Voice {
  readonly start: number;
  readonly end: number;
  /** Of unit length. */
  readonly vector: Float32Array;
}

export interface VoiceReader {
  /** Voices in a block of audio, a window every 0.8 s or so. */
  voices(pcm: Buffer, signal: AbortSignal): Promise<readonly Voice[]>;
}

/** Writes numbers as words, for `numerals: words`. */
export interface NumberWriter {
  words(text: string, language: string): Promise<string>;
}

import type { RecognizedWord } from './contract.ts';

export interface Segment {
  readonly speaker: string | null;
  readonly channel: number | null;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Transcript {
  readonly text: string;
  readonly words: readonly RecognizedWord[];
  readonly segments: readonly Segment[];
}

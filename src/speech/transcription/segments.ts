import type { EngineWord } from '../../media/engine/index.ts';

export interface SegmentView {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const SENTENCE_END = /[.!?…।]["'”’)\]]*$/;
const PAUSE_SECONDS = 0.8;
const LONGEST_SECONDS = 15;

export function segmentWords(words: readonly EngineWord[]): SegmentView[] {
  const segments: SegmentView[] = [];
  let from = 0;
  for (const [index, word] of words.entries()) {
    const next = words[index + 1];
    const first = words[from]!;
    const ends =
      next === undefined ||
      SENTENCE_END.test(word.word) ||
      next.start - word.end >= PAUSE_SECONDS ||
      next.end - first.start > LONGEST_SECONDS;
    if (!ends) continue;
    const text = words.slice(from, index + 1).map((one) => one.word);
    segments.push({ start: first.start, end: word.end, text: text.join(' ') });
    from = index + 1;
  }
  return segments;
}

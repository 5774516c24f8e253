import type { PlayedSegment } from './voice-lane.ts';

/** A word of which less was played does not count as heard. */
const WORD_PLAYED_SHARE = 0.5;
/** The estimate serves for a text whose synthesis has not ended. */
const MS_PER_CHARACTER = 65;

/** Returns the words of `text` that were played in `playedMs` of its `totalMs`, by their share of the letters. */
export function playedText(
  text: string,
  { playedMs, totalMs, complete }: Omit<PlayedSegment, 'segment'>,
): string {
  const wholeMs = complete ? totalMs : Math.max(totalMs, text.length * MS_PER_CHARACTER);
  if (playedMs <= 0 || wholeMs <= 0) return '';
  if (playedMs >= wholeMs) return text;
  const reached = (playedMs / wholeMs) * text.length;
  let heard = 0;
  for (const word of text.matchAll(/\S+/g)) {
    const end = word.index + word[0].length;
    if (word.index + word[0].length * WORD_PLAYED_SHARE > reached) break;
    heard = end;
  }
  return text.slice(0, heard);
}

export function playedTurnText(texts: ReadonlyMap<number, string>, played: readonly PlayedSegment[]): string {
  return [...played]
    .sort((a, b) => a.segment - b.segment)
    .map((part) => playedText(texts.get(part.segment) ?? '', part))
    .filter((text) => text !== '')
    .join(' ');
}

import type { PlayedSegment } from './voice-lane.ts';

/** Below this much of a word the caller has not heard it. */
const WORD_HEARD = 0.5;

/** The words of `text` that were heard when `playedMs` of its `totalMs` were played, by the share of its letters. */
export function heardText(text: string, played: Pick<PlayedSegment, 'playedMs' | 'totalMs'>): string {
  if (played.playedMs <= 0 || played.totalMs <= 0) return '';
  if (played.playedMs >= played.totalMs) return text;
  const reached = (played.playedMs / played.totalMs) * text.length;
  let heard = 0;
  for (const word of text.matchAll(/\S+/g)) {
    const end = word.index + word[0].length;
    if (word.index + word[0].length * WORD_HEARD > reached) break;
    heard = end;
  }
  return text.slice(0, heard);
}

/** What was heard of a turn whose segments had these texts. */
export function heardTurn(texts: ReadonlyMap<number, string>, played: readonly PlayedSegment[]): string {
  return [...played]
    .sort((a, b) => a.segment - b.segment)
    .map((part) => heardText(texts.get(part.segment) ?? '', part))
    .filter((text) => text !== '')
    .join(' ');
}

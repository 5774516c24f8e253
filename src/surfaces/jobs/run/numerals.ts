import type { NumberWriter } from '../contract.ts';
import type { Transcript } from '../transcript.ts';

const HAS_DIGIT = /\p{Nd}/u;
/** A tag of the PII scan is no number, whatever it holds. */
const TAG = /^\[REDACTED_[A-Z]+\]/;

/** The transcript with its numbers as words. A word that holds a number keeps its times. */
export async function inWords(
  transcript: Transcript,
  language: string,
  numbers: NumberWriter,
): Promise<Transcript> {
  const write = async (text: string) =>
    HAS_DIGIT.test(text) && !TAG.test(text) ? await numbers.words(text, language) : text;
  const segments = [];
  for (const segment of transcript.segments) segments.push({ ...segment, text: await write(segment.text) });
  const words = [];
  for (const word of transcript.words) words.push({ ...word, word: await write(word.word) });
  return { text: segments.map(({ text }) => text).join(' '), words, segments };
}

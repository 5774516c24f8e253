import type { Transcript } from '../transcript.ts';
import { numberWords } from './number-words.ts';

/** A tag of the PII scan is no number, whatever it holds. */
const NUMBER = /\[REDACTED_[A-Z]+\]|\p{Nd}+(?:[.,]\p{Nd}{3})*(?:[.,]\p{Nd}+)?/gu;

const write = (text: string, language: string): string =>
  text.replace(NUMBER, (number) => (number.startsWith('[') ? number : numberWords(number, language)));

/** The transcript with its numbers as words. A word that holds a number keeps its times. */
export function inWords(transcript: Transcript, language: string): Transcript {
  const segments = transcript.segments.map((segment) => ({
    ...segment,
    text: write(segment.text, language),
  }));
  const words = transcript.words.map((word) => ({ ...word, word: write(word.word, language) }));
  return { text: segments.map(({ text }) => text).join(' '), words, segments };
}

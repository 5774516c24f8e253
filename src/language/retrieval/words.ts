import { AGENT_LANGUAGE_WORDS, type AgentLanguage } from '../text/index.ts';

const stopWords = new Map(
  Object.entries(AGENT_LANGUAGE_WORDS).map(
    ([code, { search }]) => [code, new Set(search.stopWords)] as const,
  ),
);

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

export const searchWordsOf = (text: string): string[] =>
  text.normalize('NFC').toLowerCase().match(WORD) ?? [];

/** These verbs have "ge" in the middle of the participle: "eingelagert" and "einlagern" match. */
const PARTICIPLE = /^(ein|aus|ab|an|auf|zu|um|vor|mit|bei|nach|zurück)ge(?=\p{L}{3})/u;

export function stem(word: string, language: AgentLanguage): string {
  const whole = language === 'de' ? word.replace(PARTICIPLE, '$1') : word;
  const ending = AGENT_LANGUAGE_WORDS[language].search.endings.find(
    (candidate) => whole.endsWith(candidate) && whole.length - candidate.length >= 3,
  );
  const bare = ending === undefined ? whole : whole.slice(0, -ending.length);
  // "Cancel" and "cancelled".
  return language === 'en' ? bare.replace(/([^aeiou])\1$/, '$1') : bare;
}

export const contentStems = (text: string, language: AgentLanguage): string[] =>
  searchWordsOf(text)
    .filter((word) => !stopWords.get(language)?.has(word))
    .map((word) => stem(word, language));

/** The point of a title or an initial does not end a sentence. */
const SENTENCE_BREAK =
  /(?<=[.!?।…])(?<!(?<!\p{L})(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nr|Sr|Sra|Dra|Mme|Mlle|M|Hr|Fr|\p{Lu})\.)\s+(?=[\p{Lu}\p{Lo}\p{N}¿¡"“«(])/u;

export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  for (const line of text.split(/\n+/)) {
    for (const part of line.split(SENTENCE_BREAK)) {
      const sentence = part.replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/u, '').trim();
      if (sentence !== '') sentences.push(sentence);
    }
  }
  return sentences;
}

export interface SentenceSpan {
  readonly start: number;
  readonly end: number;
}

export function sentenceSpans(text: string): SentenceSpan[] {
  const spans: SentenceSpan[] = [];
  let start = 0;
  for (const found of text.matchAll(new RegExp(SENTENCE_BREAK, `${SENTENCE_BREAK.flags}g`))) {
    const end = found.index + found[0].length;
    spans.push({ start, end });
    start = end;
  }
  if (start < text.length) spans.push({ start, end: text.length });
  return spans;
}

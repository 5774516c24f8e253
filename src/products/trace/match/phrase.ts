import {
  AGENT_LANGUAGE_WORDS,
  type AgentLanguage,
  plainText,
  type Token,
  tokensOf,
} from '../../../language/text/index.ts';

/** `...` in a phrase matches up to this many words. */
const GAP = 6;
/** This many fillers may stand between any two words. */
const FILLERS = 2;

export interface WordSpan {
  readonly start: number;
  readonly end: number;
}

export interface CompiledPhrase {
  readonly text: string;
  readonly words: readonly string[];
  /** An entry is true where a gap precedes the word. */
  readonly gaps: readonly boolean[];
}

const HESITATIONS = [
  'uh',
  'um',
  'er',
  'ah',
  'eh',
  'hmm',
  'mm',
  'euh',
  'ahm',
  'like',
  'please',
  'just',
  'really',
];
const fillersOf = new Map<string, ReadonlySet<string>>(
  Object.entries(AGENT_LANGUAGE_WORDS).map(([code, { smallTalk }]) => [
    code,
    new Set([...HESITATIONS, ...smallTalk.fillers.filter((filler) => !filler.includes(' '))]),
  ]),
);

export function compilePhrase(text: string): CompiledPhrase {
  const words: string[] = [];
  const gaps: boolean[] = [];
  for (const [index, part] of text.split(/\.\.\.|…/u).entries()) {
    for (const [at, { text: word }] of tokensOf(plainText(part)).entries()) {
      words.push(word);
      gaps.push(index > 0 && at === 0);
    }
  }
  return { text, words, gaps };
}

/** Finds the phrase in an utterance's tokens, from left to right and without overlaps. */
export function findPhrase(
  tokens: readonly Token[],
  phrase: CompiledPhrase,
  language: AgentLanguage,
): WordSpan[] {
  const fillers = fillersOf.get(language) as ReadonlySet<string>;
  const found: WordSpan[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const end = phrase.words[0] === tokens[at]?.text ? endOf(tokens, at + 1, phrase, 1, fillers) : null;
    if (end === null) continue;
    found.push({ start: (tokens[at] as Token).start, end: (tokens[end - 1] as Token).end });
    at = end - 1;
  }
  return found;
}

/** Returns the position after the last token of the phrase's rest; null when it does not follow. */
function endOf(
  tokens: readonly Token[],
  from: number,
  phrase: CompiledPhrase,
  word: number,
  fillers: ReadonlySet<string>,
): number | null {
  if (word === phrase.words.length) return from;
  const isGap = phrase.gaps[word] === true;
  for (let skip = 0; skip <= (isGap ? GAP : FILLERS); skip += 1) {
    const token = tokens[from + skip];
    if (token === undefined) return null;
    if (token.text === phrase.words[word]) {
      const end = endOf(tokens, from + skip + 1, phrase, word + 1, fillers);
      if (end !== null) return end;
    }
    if (!isGap && !fillers.has(token.text)) return null;
  }
  return null;
}

import type { AgentLanguage } from '../text/index.ts';
import { answerKinds } from './answer-kinds.ts';
import { bm25 } from './bm25.ts';
import { withDays } from './days.ts';
import { withDigits } from './numbers.ts';
import type { SemanticSimilarity } from './semantic-similarity.ts';
import { contentStems } from './words.ts';

export interface SearchCandidate {
  readonly text: string;
  readonly about?: string;
  readonly weight: number;
}

export interface SearchResult {
  readonly text: string;
  readonly about: string;
  readonly evidence: number;
}

/**
 * A sentence below all of these bounds is not about the question, whatever its rank. They were set on the tuning half
 * of the test businesses, where the best sentence for an unanswerable question scored 0.30. With semantic similarity,
 * a few common words prove less.
 */
const MIN_SIMILARITY = 0.33;
const MIN_WORD_SHARE = { alone: 0.34, besideMeaning: 0.6 };
/** The offset of reciprocal rank fusion is small, because there are tens of candidates and not thousands. */
const RANK_OFFSET = 10;

export interface SearchQuery {
  readonly question: string;
  readonly subject?: string;
}

/**
 * Returns the candidates that answer a question, best first, or none. It ranks by words, meaning and kind of answer,
 * and fuses the ranks.
 */
export async function searchCandidates(
  { question, subject: given = '' }: SearchQuery,
  candidates: readonly SearchCandidate[],
  language: AgentLanguage,
  meaning: SemanticSimilarity | null,
  signal: AbortSignal,
): Promise<SearchResult[]> {
  const texts = candidates.map(({ text, about }) =>
    about === undefined || about === '' ? text : `${about}: ${text}`,
  );
  const termsOf = (text: string): string[] =>
    contentStems(withDigits(withDays(text, language), language), language);
  const documents = texts.map(termsOf);
  const { holds, subject } = answerKinds(question, language);
  const vocabulary = new Set(documents.flat());
  const stemsOf = (text: string): string[] => [
    ...new Set(termsOf(text).map((term) => knownPart(term, vocabulary, language))),
  ];
  const query = stemsOf(question);
  const about = stemsOf(subject);
  const judged = (await meaning?.similarities(question, texts, language, signal)) ?? null;
  const similarity = judged ?? texts.map(() => 0);
  const minShare = judged === null ? MIN_WORD_SHARE.alone : MIN_WORD_SHARE.besideMeaning;
  const words = scaled(bm25(query, documents));
  const kinds = texts.map((text) => (holds.some((pattern) => pattern.test(text)) ? 1 : 0));
  const common = contentStems(given, language);
  const asksOnlyForKind = about.every((term) => common.some((word) => word.endsWith(term)));
  const ranks = [rankOf(words), rankOf(similarity), rankOf(kinds)];
  return candidates
    .map(({ text, weight, about: title = '' }, index) => {
      const share = matchedShare(about.length > 0 ? about : query, documents[index] ?? []);
      const [word = 0, like = 0, kind = 0] = [words[index], similarity[index], kinds[index]];
      const answers = share >= minShare || like >= MIN_SIMILARITY || (kind === 1 && asksOnlyForKind);
      const fused = ranks.reduce((sum, rank) => sum + (rank[index] ?? 0), 0) * weight;
      const evidence = (share + word + 1.2 * like + 0.5 * kind) * weight;
      return { text, about: title, answers, fused, evidence };
    })
    .filter(({ answers }) => answers)
    .sort((a, b) => b.fused - a.fused || b.evidence - a.evidence)
    .map(({ text, about: title, evidence }) => ({ text, about: title, evidence }));
}

/** The least length of a part in a compound, and of a common beginning of two words. */
const FEWEST_LETTERS = { part: 4, beginning: 5 };
const MOST_ENDING = 2;

/**
 * Finds the term's part that the candidates have: German forms compounds ("Reifen" finds "Winterreifen"), and stems
 * of one word can differ a little.
 */
function knownPart(term: string, vocabulary: ReadonlySet<string>, language: AgentLanguage): string {
  if (vocabulary.has(term)) return term;
  const alike = [...vocabulary].filter((word) => {
    const [short, long] = word.length < term.length ? [word, term] : [term, word];
    const begins = short.length >= FEWEST_LETTERS.beginning && long.startsWith(short);
    const ends = language === 'de' && word.length >= FEWEST_LETTERS.part && term.endsWith(word);
    return (begins && long.length - short.length <= MOST_ENDING) || ends;
  });
  return alike.sort((a, b) => b.length - a.length)[0] ?? term;
}

function rankOf(scores: readonly number[]): number[] {
  const order = [...new Set(scores)].sort((a, b) => b - a);
  const rank = new Map(order.map((score, index) => [score, index + 1]));
  return scores.map((score) => (score > 0 ? 1 / (RANK_OFFSET + (rank.get(score) ?? 0)) : 0));
}

function matchedShare(query: readonly string[], document: readonly string[]): number {
  if (query.length === 0) return 0;
  return query.filter((term) => document.includes(term)).length / query.length;
}

function scaled(scores: readonly number[]): number[] {
  const best = Math.max(...scores, 0);
  return best > 0 ? scores.map((score) => score / best) : [...scores];
}

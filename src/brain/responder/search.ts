import type { BrainLanguage } from '../contract.ts';
import { answerKinds } from './answer-kinds.ts';
import { contentStems } from './words.ts';

/** Vectors of unit length for texts; English only, so other languages rank by words alone. */
export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

export interface Candidate {
  readonly text: string;
  /** Where it came from outranks how it reads: a passage was retrieved for this very question. */
  readonly weight: number;
}

export interface Found {
  readonly text: string;
  readonly score: number;
}

const K1 = 1.2;
const B = 0.6;
/** Below these two a sentence is not about the question, whatever its rank. */
const MIN_WORD_SHARE = 0.34;
const MIN_LIKENESS = 0.5;

/** The candidates that answer `question`, best first; empty when none is about it. */
export async function search(
  question: string,
  candidates: readonly Candidate[],
  language: BrainLanguage,
  embed: Embed | null,
): Promise<Found[]> {
  const query = [...new Set(contentStems(question, language))];
  const documents = candidates.map((candidate) => contentStems(candidate.text, language));
  const words = bm25(query, documents);
  const likeness = await likenesses(question, candidates, language, embed);
  const kinds = answerKinds(question, language);
  const found = candidates.map((candidate, index) => {
    const share = matchedShare(query, documents[index] ?? []);
    const like = likeness[index] ?? 0;
    const kind = kinds.length > 0 && kinds.some((pattern) => pattern.test(candidate.text)) ? 1 : 0;
    const about = share >= MIN_WORD_SHARE || like >= MIN_LIKENESS || (kind === 1 && query.length <= 2);
    const score = (share + (words[index] ?? 0) + 1.2 * like + 0.5 * kind) * candidate.weight;
    return { text: candidate.text, score: about ? score : 0 };
  });
  return found.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
}

function matchedShare(query: readonly string[], document: readonly string[]): number {
  if (query.length === 0) return 0;
  return query.filter((term) => document.includes(term)).length / query.length;
}

/** BM25, scaled so that the best of these documents has 1. */
function bm25(query: readonly string[], documents: readonly (readonly string[])[]): number[] {
  const mean = documents.reduce((sum, document) => sum + document.length, 0) / Math.max(1, documents.length);
  const rarity = new Map(query.map((term) => [term, inverseFrequency(term, documents)]));
  const scores = documents.map((document) => {
    let score = 0;
    for (const term of query) {
      const count = document.filter((word) => word === term).length;
      const length = 1 - B + (B * document.length) / Math.max(1, mean);
      score += ((rarity.get(term) ?? 0) * count * (K1 + 1)) / (count + K1 * length);
    }
    return score;
  });
  const best = Math.max(...scores, 0);
  return best > 0 ? scores.map((score) => score / best) : scores;
}

function inverseFrequency(term: string, documents: readonly (readonly string[])[]): number {
  const holding = documents.filter((document) => document.includes(term)).length;
  return Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5));
}

async function likenesses(
  question: string,
  candidates: readonly Candidate[],
  language: BrainLanguage,
  embed: Embed | null,
): Promise<number[]> {
  if (embed === null || language !== 'en' || candidates.length === 0) return [];
  const [asked, ...vectors] = await embed([question, ...candidates.map(({ text }) => text)]);
  if (asked === undefined) return [];
  return vectors.map((vector) => vector.reduce((sum, value, index) => sum + value * (asked[index] ?? 0), 0));
}

/** The peers are BM25 alone, and vectors alone over chunks of a fixed size, as in LangChain's quick starts. */
import { type Engine, embedTexts } from '../../src/media/engine/index.ts';
import { plain, type Text } from './texts.ts';

const SIZE = 1_000;
const OVERLAP = 200;
const K1 = 1.2;
const B = 0.75;

export type Ask = (question: string, most: number) => Promise<readonly string[]>;

const fixed = (texts: readonly Text[]): string[] =>
  texts.flatMap(({ text }) => {
    const count = Math.max(1, Math.ceil((text.length - OVERLAP) / (SIZE - OVERLAP)));
    return Array.from({ length: count }, (_, at) => text.slice(at * (SIZE - OVERLAP)).slice(0, SIZE));
  });

const best = (chunks: readonly string[], scores: readonly number[], most: number): string[] =>
  scores
    .map((score, at) => ({ score, text: chunks[at] as string }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ text }) => text);

/** Words stay as they are written, in lower case: no stems, no stop words. */
export function plainBm25(texts: readonly Text[]): Ask {
  const chunks = fixed(texts);
  const places = new Map<string, Map<number, number>>();
  const lengths = chunks.map((chunk, at) => {
    const words = plain(chunk).split(' ');
    for (const word of words) {
      const counts = places.get(word) ?? new Map<number, number>();
      counts.set(at, (counts.get(at) ?? 0) + 1);
      places.set(word, counts);
    }
    return words.length;
  });
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  return async (question, most) => {
    const scores = chunks.map(() => 0);
    for (const word of new Set(plain(question).split(' '))) {
      const counts = places.get(word) ?? new Map<number, number>();
      const rarity = Math.log(1 + (chunks.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [at, count] of counts) {
        const length = K1 * (1 - B + (B * (lengths[at] as number)) / mean);
        scores[at] = (scores[at] as number) + (rarity * count * (K1 + 1)) / (count + length);
      }
    }
    return best(chunks, scores, most);
  };
}

/**
 * MiniLM is the default there. The engine reads half of such a chunk at once, so the vectors of both halves are
 * added.
 */
export async function vectorsAlone(texts: readonly Text[], engine: Engine): Promise<Ask> {
  const chunks = fixed(texts);
  const halves = await embedTexts(
    engine,
    chunks.flatMap((chunk) => [chunk.slice(0, SIZE / 2), chunk.slice(SIZE / 2)]),
    { live: false },
  );
  const vectors = chunks.map((_, at) => {
    const [first, second] = [halves[2 * at] as Float32Array, halves[2 * at + 1] as Float32Array];
    const sum = first.map((value, place) => value + (second[place] as number));
    const norm = Math.hypot(...sum) || 1;
    return sum.map((value) => value / norm);
  });
  return async (question, most) => {
    const [asked] = await embedTexts(engine, [question], { live: true });
    const scores = vectors.map((vector) => {
      let sum = 0;
      for (let at = 0; at < vector.length; at += 1) sum += (vector[at] as number) * (asked?.[at] as number);
      return sum;
    });
    return best(chunks, scores, most);
  };
}

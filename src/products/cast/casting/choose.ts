/** Chooses a voice for each speaker such that no two speakers sound alike. */
import type { Gender } from '../contract.ts';
import { DISTINCT_BELOW, type VoiceSimilarity } from './voice-similarity.ts';

export interface Candidate {
  readonly id: string;
  readonly gender: 'female' | 'male' | null;
}

export interface CastingRequest {
  readonly name: string;
  readonly gender: Gender | null;
}

export interface Chosen {
  readonly voice: string;
  readonly nearest: { readonly voice: string; readonly similarity: number } | null;
}

/** This many tries find six distinct voices among thirty; the bound ends the search where there are none. */
const MOST_TRIES = 50_000;
/**
 * The search starts at the strictest bound, because direction brings voices nearer to each other; many speakers need
 * a looser one.
 */
const WISHED = [0.25, 0.3, 0.35, 0.4, 0.45, DISTINCT_BELOW] as const;

/**
 * Returns distinct voices in the order of the speakers as far as there are any, and for the rest the one least like
 * those taken.
 */
export function chooseVoices(
  wanted: readonly CastingRequest[],
  candidates: readonly Candidate[],
  taken: readonly string[],
  similarity: VoiceSimilarity,
): readonly Chosen[] {
  const pools = wanted.map(({ gender }) => {
    const fitting = candidates.filter((one) => gender === null || one.gender === gender);
    return unlikeFirst(
      (fitting.length > 0 ? fitting : candidates).map(({ id }) => id),
      similarity,
    );
  });
  const apart = farthest(pools, taken, similarity);
  const used = [...taken];
  return pools.map((pool, at) => {
    const voice = apart[at] ?? leastLike(pool, used, similarity);
    const chosen = { voice, nearest: nearestTo(voice, used, similarity) };
    used.push(voice);
    return chosen;
  });
}

function farthest(
  pools: readonly (readonly string[])[],
  taken: readonly string[],
  similarity: VoiceSimilarity,
): readonly string[] {
  let found: readonly string[] = [];
  for (const apart of WISHED) {
    found = new Search(pools, similarity, apart).longest(taken);
    if (found.length === pools.length) break;
  }
  return found;
}

/** Voices that resemble few others come first, because the search ends sooner with them. */
function unlikeFirst(pool: readonly string[], similarity: VoiceSimilarity): readonly string[] {
  const alike = (id: string) =>
    pool.filter((other) => (similarity.between(id, other) ?? 0) >= DISTINCT_BELOW).length;
  const counts = new Map(pool.map((id) => [id, alike(id)]));
  return [...pool].sort((one, other) => counts.get(one)! - counts.get(other)!);
}

/** Searches a distinct voice for each pool. */
class Search {
  readonly #pools: readonly (readonly string[])[];
  readonly #similarity: VoiceSimilarity;
  readonly #apart: number;
  #best: readonly string[] = [];
  #tries = 0;

  constructor(pools: readonly (readonly string[])[], similarity: VoiceSimilarity, apart: number) {
    this.#pools = pools;
    this.#apart = apart;
    this.#similarity = similarity;
  }

  longest(taken: readonly string[]): readonly string[] {
    this.#goOn([], taken);
    return this.#best;
  }

  /** Returns true when no longer choice exists, or when the search takes too long. */
  #goOn(chosen: readonly string[], taken: readonly string[]): boolean {
    if (chosen.length > this.#best.length) this.#best = chosen;
    const pool = this.#pools[chosen.length];
    if (pool === undefined) return true;
    for (const id of pool) {
      this.#tries += 1;
      if (this.#tries > MOST_TRIES) return true;
      const used = [...taken, ...chosen];
      if (used.some((other) => (this.#similarity.between(id, other) ?? 0) >= this.#apart)) continue;
      if (this.#goOn([...chosen, id], taken)) return true;
    }
    return false;
  }
}

function leastLike(pool: readonly string[], used: readonly string[], similarity: VoiceSimilarity): string {
  const most = (id: string) => nearestTo(id, used, similarity)?.similarity ?? 0;
  return pool.reduce((best, one) => (most(one) < most(best) ? one : best));
}

export function nearestTo(
  id: string,
  used: readonly string[],
  similarity: VoiceSimilarity,
): Chosen['nearest'] {
  let nearest: Chosen['nearest'] = null;
  for (const other of used) {
    const like = similarity.between(id, other);
    if (like !== null && (nearest === null || like > nearest.similarity))
      nearest = { voice: other, similarity: like };
  }
  return nearest;
}

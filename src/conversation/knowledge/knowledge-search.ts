import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { KnowledgeBaseRow } from '../../foundation/storage/tables/knowledge.ts';
import { contentStems, fuseRankings, quantised } from '../../language/retrieval/index.ts';
import type { EmbeddingModelOf, FoundPassage } from './contract.ts';
import type { PhoneticMatcher } from './phonetics/phonetic-matcher.ts';
import { searchLanguage, termsOf } from './ranking/terms.ts';
import type { VectorCache } from './ranking/vector-cache.ts';
import type { WordIndex } from './ranking/word-index.ts';

export type EmbedQuestion = (
  question: string,
  language: string,
  signal: AbortSignal,
) => Promise<Float32Array | null>;

export interface SearchDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly words: WordIndex;
  readonly vectorCache: VectorCache;
  readonly embed: EmbedQuestion;
  readonly embeddingModel: EmbeddingModelOf;
  readonly sounds: PhoneticMatcher;
}

export interface KnowledgeQuery {
  readonly question: string;
  readonly most: number;
  /** Leaves out passages that are not about the question; otherwise the nearest ones are returned anyway. */
  readonly onlyAbout: boolean;
}

interface ChunkOf {
  readonly number: number;
  readonly base_id: string;
  readonly document_id: string;
  readonly heading: string;
  readonly text: string;
  readonly span_start: number;
  readonly span_end: number;
  readonly page: number | null;
  readonly title: string;
  readonly url: string | null;
}

interface PassageCandidate {
  readonly item: number;
  readonly score: number;
  readonly similarity: number;
  readonly asked: {
    readonly language: string;
    readonly stems: readonly string[];
    readonly minSimilarity: number;
  };
}

const CANDIDATES = 60;
const WEIGHTS = { words: 1, meaning: 1 };
/**
 * A passage with neither this share of the question's words nor the model's minimum similarity is not about the
 * question. The value was tuned on the project's own documents.
 */
const MIN_WORD_SHARE = 0.6;
/** Passages that share this part of their words count as duplicates. */
const SAME_TEXT = 0.85;

export class KnowledgeSearch {
  readonly #deps: SearchDeps;

  constructor(deps: SearchDeps) {
    this.#deps = deps;
  }

  /** The caller has checked that `bases` are in the tenant scope. */
  async find(
    scope: TenantScope,
    bases: readonly KnowledgeBaseRow[],
    { question, most, onlyAbout }: KnowledgeQuery,
    signal: AbortSignal,
  ): Promise<FoundPassage[]> {
    const candidates = await Promise.all(
      languagesOf(bases).map((some) => this.#candidates(scope, some, question, signal)),
    );
    const ranked = candidates.flat().sort((one, other) => other.score - one.score);
    const chunks = await this.#chunks(
      scope,
      ranked.map(({ item }) => item),
    );
    const chosen: { chunk: ChunkOf; stems: Set<string>; score: number }[] = [];
    for (const { item, score, similarity, asked } of ranked) {
      const chunk = chunks.get(item);
      if (chunk === undefined || chosen.length >= most) continue;
      const stems = new Set(
        contentStems(`${chunk.title} ${chunk.heading} ${chunk.text}`, searchLanguage(asked.language)),
      );
      if (onlyAbout && !isAbout(asked, stems, similarity)) continue;
      if (chosen.some((other) => overlap(other.stems, stems) >= SAME_TEXT)) continue;
      chosen.push({ chunk, stems, score });
    }
    return chosen.map(({ chunk, score }) => passageOf(chunk, score));
  }

  async #candidates(
    scope: TenantScope,
    bases: readonly KnowledgeBaseRow[],
    question: string,
    signal: AbortSignal,
  ): Promise<PassageCandidate[]> {
    const language = bases[0]!.language;
    const mended = await this.#deps.sounds.correct(scope, bases, question);
    const [byWords, near] = await Promise.all([
      this.#byWords(bases, [...termsOf(question, language), ...termsOf(mended.terms.join(' '), language)]),
      this.#byMeaning(scope, bases, mended.question, signal),
    ]);
    const similarity = new Map(near.map((chunk) => [chunk.number, chunk.similarity]));
    const asked = {
      language,
      stems: contentStems(mended.question, searchLanguage(language)),
      minSimilarity: this.#deps.embeddingModel(language).minSimilarity,
    };
    return fuseRankings([
      { weight: WEIGHTS.words, order: byWords },
      { weight: WEIGHTS.meaning, order: near.map(({ number }) => number) },
    ])
      .slice(0, CANDIDATES)
      .map(({ item, score }) => ({ item, score, similarity: similarity.get(item) ?? 0, asked }));
  }

  async #byWords(bases: readonly KnowledgeBaseRow[], terms: readonly string[]): Promise<readonly number[]> {
    const { storage, words } = this.#deps;
    const ids = bases.map(({ id }) => id);
    return await words.find(storage.db, ids, [...new Set(terms)], CANDIDATES);
  }

  async #byMeaning(
    scope: TenantScope,
    bases: readonly KnowledgeBaseRow[],
    question: string,
    signal: AbortSignal,
  ) {
    const { storage, vectorCache, embed, embeddingModel } = this.#deps;
    const language = bases[0]!.language;
    const vector = await embed(question, language, signal);
    if (vector === null) return [];
    const query = quantised(vector);
    const model = embeddingModel(language).name;
    const found = await Promise.all(
      bases.map((base) =>
        vectorCache.find(
          storage.db,
          scope,
          { id: base.id, revision: Number(base.revision), model },
          query,
          CANDIDATES,
        ),
      ),
    );
    return found.flat().sort((a, b) => b.similarity - a.similarity);
  }

  async #chunks(scope: TenantScope, numbers: readonly number[]): Promise<ReadonlyMap<number, ChunkOf>> {
    if (numbers.length === 0) return new Map();
    const rows = await withinTenant(this.#deps.storage.db, scope)
      .selectFrom('knowledge_chunks')
      .innerJoin('knowledge_documents', 'knowledge_documents.id', 'knowledge_chunks.document_id')
      .select([
        'knowledge_chunks.number',
        'knowledge_chunks.base_id',
        'knowledge_chunks.document_id',
        'knowledge_chunks.heading',
        'knowledge_chunks.text',
        'knowledge_chunks.span_start',
        'knowledge_chunks.span_end',
        'knowledge_chunks.page',
        'knowledge_documents.title',
        'knowledge_documents.url',
      ])
      .where('knowledge_chunks.number', 'in', numbers)
      .whereRef('knowledge_chunks.generation', '=', 'knowledge_documents.generation')
      .execute();
    return new Map(rows.map((row) => [Number(row.number), { ...row, number: Number(row.number) }]));
  }
}

/** The same question has other stems, sounds and vectors in each language. */
function languagesOf(bases: readonly KnowledgeBaseRow[]): KnowledgeBaseRow[][] {
  const by = new Map<string, KnowledgeBaseRow[]>();
  for (const base of bases) by.set(base.language, [...(by.get(base.language) ?? []), base]);
  return [...by.values()];
}

const isAbout = (
  { stems: asked, minSimilarity }: PassageCandidate['asked'],
  stems: ReadonlySet<string>,
  similarity: number,
): boolean =>
  similarity >= minSimilarity ||
  (asked.length > 0 && asked.filter((stem) => stems.has(stem)).length / asked.length >= MIN_WORD_SHARE);

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let common = 0;
  for (const stem of small) if (large.has(stem)) common += 1;
  const all = a.size + b.size - common;
  return all === 0 ? 1 : common / all;
}

const passageOf = (chunk: ChunkOf, score: number): FoundPassage => ({
  documentId: chunk.document_id,
  baseId: chunk.base_id,
  title: chunk.title,
  url: chunk.url,
  heading: chunk.heading === '' ? null : chunk.heading,
  text: chunk.text,
  start: chunk.span_start,
  end: chunk.span_end,
  page: chunk.page,
  score: Math.round(score * 1000) / 1000,
});

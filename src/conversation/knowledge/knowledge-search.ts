import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { type Storage, withinTenant } from '../../foundation/storage/index.ts';
import type { KnowledgeBaseRow } from '../../foundation/storage/tables/knowledge.ts';
import { contentStems, fuseRankings, quantised } from '../../language/retrieval/index.ts';
import type { Embedding, FoundPassage } from './contract.ts';
import type { PhoneticMatcher } from './phonetics/phonetic-matcher.ts';
import { searchLanguage, termsOf } from './ranking/terms.ts';
import type { VectorCache } from './ranking/vector-cache.ts';
import type { WordIndex } from './ranking/word-index.ts';

export interface SearchDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly words: WordIndex;
  readonly vectorCache: VectorCache;
  readonly embedding: Embedding;
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

interface NearPassage {
  readonly number: number;
  readonly similarity: number;
  readonly minSimilarity: number;
}

interface PassageCandidate {
  readonly item: number;
  readonly score: number;
  /** The value is null where the passage is not among the nearest by meaning. */
  readonly near: NearPassage | null;
  readonly asked: { readonly language: string; readonly stems: readonly string[] };
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
    for (const { item, score, near, asked } of ranked) {
      const chunk = chunks.get(item);
      if (chunk === undefined || chosen.length >= most) continue;
      const stems = new Set(
        contentStems(`${chunk.title} ${chunk.heading} ${chunk.text}`, searchLanguage(asked.language)),
      );
      if (onlyAbout && !isAbout(asked, stems, near)) continue;
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
    const byNumber = new Map(near.map((passage) => [passage.number, passage]));
    const asked = {
      language,
      stems: contentStems(mended.question, searchLanguage(language)),
    };
    return fuseRankings([
      { weight: WEIGHTS.words, order: byWords },
      { weight: WEIGHTS.meaning, order: near.map(({ number }) => number) },
    ])
      .slice(0, CANDIDATES)
      .map(({ item, score }) => ({ item, score, near: byNumber.get(item) ?? null, asked }));
  }

  async #byWords(bases: readonly KnowledgeBaseRow[], terms: readonly string[]): Promise<readonly number[]> {
    const { storage, words } = this.#deps;
    const ids = bases.map(({ id }) => id);
    return await words.find(storage.db, ids, [...new Set(terms)], CANDIDATES);
  }

  /**
   * Documents keep the vectors of their model until they are embedded anew, so that one base can have vectors of two.
   */
  async #byMeaning(
    scope: TenantScope,
    bases: readonly KnowledgeBaseRow[],
    question: string,
    signal: AbortSignal,
  ): Promise<NearPassage[]> {
    const { storage, vectorCache } = this.#deps;
    const withModels = await Promise.all(
      bases.map(async ({ id, revision }) => {
        const base = { id, revision: Number(revision) };
        return { base, models: await vectorCache.models(storage.db, scope, base) };
      }),
    );
    const models = [...new Set(withModels.flatMap((one) => one.models))];
    const found = await Promise.all(
      models.map((model) =>
        this.#nearestOf(
          scope,
          model,
          withModels.filter((one) => one.models.includes(model)).map(({ base }) => base),
          question,
          signal,
        ),
      ),
    );
    return found.flat().sort((one, other) => relevance(other) - relevance(one));
  }

  async #nearestOf(
    scope: TenantScope,
    name: string,
    bases: readonly { readonly id: string; readonly revision: number }[],
    question: string,
    signal: AbortSignal,
  ): Promise<NearPassage[]> {
    const { storage, vectorCache, embedding } = this.#deps;
    const model = embedding.find(name);
    const vector = model === null ? null : await embedding.question(question, model, signal);
    if (model === null || vector === null) return [];
    const query = quantised(vector);
    const found = await Promise.all(
      bases.map((base) => vectorCache.find(storage.db, scope, { ...base, model: name }, query, CANDIDATES)),
    );
    return found.flat().map((chunk) => ({ ...chunk, minSimilarity: model.minSimilarity }));
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

/** Puts the similarities of different models on one scale: 0 is the least of a passage about the question, 1 the most. */
const relevance = ({ similarity, minSimilarity }: NearPassage): number =>
  (similarity - minSimilarity) / (1 - minSimilarity);

const isAbout = (
  { stems: asked }: PassageCandidate['asked'],
  stems: ReadonlySet<string>,
  near: NearPassage | null,
): boolean =>
  (near !== null && near.similarity >= near.minSimilarity) ||
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

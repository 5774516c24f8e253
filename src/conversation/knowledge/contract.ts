export { RETRIEVAL_LANGUAGES as KNOWLEDGE_LANGUAGES } from '../../language/retrieval/index.ts';

export const DOCUMENT_SOURCES = ['text', 'file', 'url'] as const;
export type DocumentSource = (typeof DOCUMENT_SOURCES)[number];

export const DOCUMENT_STATES = ['queued', 'fetching', 'processing', 'indexed', 'failed'] as const;
export type DocumentState = (typeof DOCUMENT_STATES)[number];

export const CRAWL_STATES = ['queued', 'discovering', 'fetching', 'indexed', 'failed'] as const;
export type CrawlState = (typeof CRAWL_STATES)[number];

export interface FoundPassage {
  readonly documentId: string;
  readonly baseId: string;
  readonly title: string;
  readonly url: string | null;
  readonly heading: string | null;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
  /** A score of 1 means the first rank both by words and by vector. */
  readonly score: number;
}

export interface CallKnowledgeQuestion {
  readonly scope: import('../../foundation/access/contract.ts').TenantScope;
  readonly query: string;
  readonly bases: readonly string[] | null;
}

/** Vectors of two models cannot be compared. */
export interface EmbeddingModel {
  readonly name: string;
  /** A passage with less similarity is not about the question, unless its words match. */
  readonly minSimilarity: number;
}

export interface Embedding {
  /** Opens the model of documents, so that their first question does not wait for it. Resolves with false if it cannot. */
  open(model: EmbeddingModel): Promise<boolean>;
  /** The model for new passages of a language. */
  modelFor(language: string): EmbeddingModel;
  /** Returns null if the model is unknown, for example because the operator removed it. */
  find(model: string): EmbeddingModel | null;
  /** Returns no vectors while the model is unavailable. */
  passages(
    texts: readonly string[],
    model: EmbeddingModel,
    of: { readonly environment: 'live' | 'sandbox' },
    signal: AbortSignal,
  ): Promise<readonly Float32Array[]>;
  /** Returns null while the model is unavailable, or if the answer comes too late for a search. */
  question(text: string, model: EmbeddingModel, signal: AbortSignal): Promise<Float32Array | null>;
}

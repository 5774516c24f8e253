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

export type EmbeddingModelOf = (language: string) => EmbeddingModel;

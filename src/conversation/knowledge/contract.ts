/** Words that the knowledge room and those who use it share. */

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
  /** The offset counts characters of the document's text. */
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
  /** 0 to 1: 1 is first by words and by meaning. */
  readonly score: number;
}

/** Where the knowledge of a call comes from, and who asks. */
export interface CallKnowledgeQuestion {
  readonly scope: import('../../foundation/access/contract.ts').TenantScope;
  readonly query: string;
  /** Null selects the defaults. */
  readonly bases: readonly string[] | null;
}

/** It makes vectors of texts in a language. Vectors of two models cannot be compared. */
export interface EmbeddingModel {
  readonly name: string;
  /** A passage whose vector is less alike the question's is not about it, unless its words are. */
  readonly minSimilarity: number;
}

export type EmbeddingModelOf = (language: string) => EmbeddingModel;

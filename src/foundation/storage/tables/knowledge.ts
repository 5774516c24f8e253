import type { Generated } from 'kysely';
import type { Environment } from '../../tenancy/index.ts';

/** Rows of the tables that the knowledge module owns. */

interface Place {
  org_id: string;
  project_id: string;
  environment: Environment;
}

export interface KnowledgeBaseRow extends Place {
  id: string;
  name: string;
  description: string | null;
  /** The language whose stemmer the search uses. */
  language: string;
  /** Grows with every change of what can be found. */
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface KnowledgeDocumentRow extends Place {
  id: string;
  base_id: string;
  /** `text`, `file` or `url`. */
  source: string;
  title: string;
  /** 1: the customer named it; else it takes the title that stands in it. */
  title_given: number;
  file_name: string | null;
  url: string | null;
  media_type: string;
  bytes: number;
  status: string;
  error: string | null;
  refresh_hours: number | null;
  etag: string | null;
  last_modified: string | null;
  /** The hash of the bytes that were indexed last. */
  content_hash: string | null;
  crawl_id: string | null;
  chunks: number;
  characters: number;
  fetched_at: number | null;
  indexed_at: number | null;
  /** The model that the passages' vectors are of; null: some have none. */
  vector_model: string | null;
  /** Names one indexing of the document: what is kept of an older one is stale. */
  generation: number;
  created_at: number;
  updated_at: number;
}

export interface KnowledgeChunkRow extends Place {
  number: Generated<number>;
  base_id: string;
  document_id: string;
  /** It is found where its document's row has the same: others are being written, or removed. */
  generation: Generated<number>;
  ordinal: number;
  heading: string;
  text: string;
  /** The offset counts characters of the document's text. */
  span_start: number;
  span_end: number;
  page: number | null;
  /** 384 signed bytes of the model that the document's row names; null where there was none. */
  vector: Buffer | null;
}

/** The rarer words of a base and how they sound. */
export interface KnowledgeTermRow extends Place {
  base_id: string;
  document_id: string;
  term: string;
  /** In IPA, without its marks. */
  sound: string;
  /** How often the document says it. */
  uses: Generated<number>;
}

export interface KnowledgeCrawlRow extends Place {
  id: string;
  base_id: string;
  url: string;
  max_pages: number;
  /** JSON lists of patterns. */
  include: string;
  exclude: string;
  refresh_hours: number | null;
  status: string;
  error: string | null;
  discovered: number;
  registered: number;
  /** JSON `{kind, id}` of the key or person, for the audit alone; null: nobody, or a row of before. */
  created_by: string | null;
  created_at: number;
  updated_at: number;
}

export interface KnowledgeSettingsRow extends Place {
  /** JSON list of bases that calls use where nothing else is bound. */
  default_bases: string;
  updated_at: number;
}

export interface KnowledgeGapRow extends Place {
  id: string;
  base_id: string;
  question: string;
  language: string;
  call_id: string;
  external_id: string | null;
  created_at: number;
}

export interface KnowledgeTables {
  knowledge_bases: KnowledgeBaseRow;
  knowledge_documents: KnowledgeDocumentRow;
  knowledge_chunks: KnowledgeChunkRow;
  knowledge_terms: KnowledgeTermRow;
  knowledge_crawls: KnowledgeCrawlRow;
  knowledge_settings: KnowledgeSettingsRow;
  knowledge_gaps: KnowledgeGapRow;
}

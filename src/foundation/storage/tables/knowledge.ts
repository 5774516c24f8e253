import type { Generated } from 'kysely';
import type { Environment } from '../../tenancy/index.ts';

interface Place {
  org_id: string;
  project_id: string;
  environment: Environment;
}

export interface KnowledgeBaseRow extends Place {
  id: string;
  name: string;
  description: string | null;
  language: string;
  revision: number;
  created_at: number;
  updated_at: number;
}

export interface KnowledgeDocumentRow extends Place {
  id: string;
  base_id: string;
  source: string;
  title: string;
  /** With 1, the customer set the title; otherwise it comes from the document. */
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
  content_hash: string | null;
  crawl_id: string | null;
  chunks: number;
  characters: number;
  fetched_at: number | null;
  indexed_at: number | null;
  vector_model: string | null;
  /** Each indexing of the document has its own; chunks of an older one are stale. */
  generation: number;
  created_at: number;
  updated_at: number;
}

export interface KnowledgeChunkRow extends Place {
  number: Generated<number>;
  base_id: string;
  document_id: string;
  /** Searches find it only where the document's row has the same generation; others are being written or removed. */
  generation: Generated<number>;
  ordinal: number;
  heading: string;
  text: string;
  span_start: number;
  span_end: number;
  page: number | null;
  /** The vector has a signed byte for each number of the document's embedding model; null without a model. */
  vector: Buffer | null;
}

export interface KnowledgeTermRow extends Place {
  base_id: string;
  document_id: string;
  term: string;
  sound: string;
  uses: Generated<number>;
}

export interface KnowledgeCrawlRow extends Place {
  id: string;
  base_id: string;
  url: string;
  max_pages: number;
  include: string;
  exclude: string;
  refresh_hours: number | null;
  status: string;
  error: string | null;
  discovered: number;
  registered: number;
  /**
   * The column is JSON `{kind, id}` of the key or person, for the audit alone. It is null for the operator, the
   * product and older rows.
   */
  created_by: string | null;
  created_at: number;
  updated_at: number;
}

export interface KnowledgeSettingsRow extends Place {
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

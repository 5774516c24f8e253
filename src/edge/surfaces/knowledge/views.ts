import type { CountedBase, CountedCrawl, FoundPassage } from '../../../conversation/knowledge/index.ts';
import { creatorOf } from '../../../foundation/audit/index.ts';
import type { KnowledgeDocumentRow, KnowledgeGapRow } from '../../../foundation/storage/tables/knowledge.ts';

const time = (at: number | null): number | null => (at === null ? null : Number(at));

export const baseView = (row: CountedBase) => ({
  id: row.id,
  object: 'knowledge_base' as const,
  name: row.name,
  description: row.description,
  language: row.language as 'en',
  documents: row.documents,
  passages: row.chunks,
  created_at: Number(row.created_at),
  updated_at: Number(row.updated_at),
});

export const documentView = (row: KnowledgeDocumentRow) => ({
  id: row.id,
  object: 'knowledge.document' as const,
  knowledge_base_id: row.base_id,
  source: row.source as 'text',
  title: row.title,
  url: row.url,
  file_name: row.file_name,
  media_type: row.media_type,
  bytes: Number(row.bytes),
  status: row.status as 'queued',
  error: row.error,
  refresh_hours: time(row.refresh_hours),
  crawl_id: row.crawl_id,
  passages: Number(row.chunks),
  characters: Number(row.characters),
  fetched_at: time(row.fetched_at),
  indexed_at: time(row.indexed_at),
  created_at: Number(row.created_at),
  updated_at: Number(row.updated_at),
});

export const passageView = (passage: FoundPassage) => ({
  document_id: passage.documentId,
  title: passage.title,
  url: passage.url,
  heading: passage.heading,
  page: passage.page,
  text: passage.text,
  span: { start: passage.start, end: passage.end },
  score: passage.score,
});

export const gapView = (row: KnowledgeGapRow) => ({
  id: row.id,
  object: 'knowledge.gap' as const,
  question: row.question,
  language: row.language,
  call_id: row.call_id,
  created_at: Number(row.created_at),
});

export const crawlView = (row: CountedCrawl) => ({
  id: row.id,
  object: 'knowledge.crawl' as const,
  knowledge_base_id: row.base_id,
  url: row.url,
  max_pages: Number(row.max_pages),
  include: JSON.parse(row.include) as string[],
  exclude: JSON.parse(row.exclude) as string[],
  refresh_hours: time(row.refresh_hours),
  status: row.status as 'queued',
  error: row.error,
  discovered: Number(row.discovered),
  registered: Number(row.registered),
  documents: { ...row.documents },
  created_by: creatorOf(row.created_by),
  created_at: Number(row.created_at),
  updated_at: Number(row.updated_at),
});

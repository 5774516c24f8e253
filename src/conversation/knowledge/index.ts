export { formatFromName, MEDIA_TYPES } from '../../language/documents/index.ts';
export {
  type CallKnowledgeQuestion,
  CRAWL_STATES,
  DOCUMENT_SOURCES,
  DOCUMENT_STATES,
  type Embedding,
  type EmbeddingModel,
  type FoundPassage,
  KNOWLEDGE_LANGUAGES,
} from './contract.ts';
export { type CountedCrawl, Crawls, type NewCrawl } from './crawling/crawls.ts';
export { type BaseSettings, type CountedBase, KnowledgeBases } from './knowledge-bases.ts';
export {
  documentSourceKey,
  documentTextKey,
  KnowledgeDocuments,
  newDocumentId,
} from './knowledge-documents.ts';
export { KnowledgeGaps, type NewKnowledgeGap } from './knowledge-gaps.ts';
export { KnowledgeService, type KnowledgeServiceDeps } from './knowledge-service.ts';
export { knowledgeLimitsOf, MAX_TEXT_CHARACTERS } from './limits.ts';
export type { PageOcr, RecognizePage } from './page-ocr.ts';
export type { LanguagePronouncer, Pronouncers } from './phonetics/phonetic-matcher.ts';

/** Knowledge bases: documents in, passages with their sources out. */

export { formatNamed, MEDIA_TYPES } from '../../language/documents/index.ts';
export { type BaseSettings, Bases, type CountedBase } from './bases.ts';
export {
  type CallQuestion,
  CRAWL_STATES,
  DOCUMENT_STATES,
  type FoundPassage,
  SOURCES,
} from './contract.ts';
export { type CountedCrawl, Crawls, type NewCrawl } from './crawling/crawls.ts';
export { Documents, newDocumentId, sourceKey, textKey } from './documents.ts';
export { Gaps, type NewGap } from './gaps.ts';
export type { EmbedChunks } from './indexing.ts';
export { limitsOf, MOST_TEXT_CHARACTERS } from './limits.ts';
export { KnowledgeRoom, type KnowledgeRoomDeps } from './room.ts';
export type { ReadScan, ScanReader } from './scans.ts';
export type { EmbedQuestion } from './search.ts';
export type { SpokenWords, Words } from './sounding/sound-alikes.ts';

/** Parses untrusted documents in a process of its own, and detects their format by their bytes. */

export {
  type DocumentBlock,
  type DocumentFormat,
  normalizeText,
  type ParsedDocument,
  UnreadableDocument,
} from './blocks.ts';
export { type DetectedFormat, detectFormat, formatFromName, MEDIA_TYPES } from './detect-format.ts';
export {
  readOutlineIsolated,
  readPageImageIsolated,
  readPagesIsolated,
  readSiteMapIsolated,
  runParserProcess,
} from './parser-process.ts';
export type { PageOutline } from './parser-request.ts';
export {
  ACTIVE_CONTENT,
  type BoundingBox,
  type PageImage,
  type PositionedPage,
  type PositionedWord,
  TOO_MANY_PAGES,
  TOO_MANY_WORDS,
} from './positioned-text.ts';

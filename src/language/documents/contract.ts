/** Shared types of the programs that parse documents in processes of their own. */

export {
  type DocumentBlock,
  type DocumentFormat,
  type ParsedDocument,
  UnreadableDocument,
} from './blocks.ts';
export { parseDocument } from './parse.ts';
export { runParserWorker } from './parser-worker.ts';

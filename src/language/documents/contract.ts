export {
  type DocumentBlock,
  type DocumentFormat,
  type ParsedDocument,
  UnreadableDocument,
} from './blocks.ts';
export { parseDocument } from './parse.ts';
export { runParserWorker } from './parser-worker.ts';

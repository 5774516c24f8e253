import { compiledProgram } from '../../../foundation/platform/project-root.ts';
import {
  type DocumentFormat,
  type PageImage,
  readPageImageIsolated,
  runParserProcess,
  UnreadableDocument,
} from '../../../language/documents/index.ts';
import type { RecognizePage } from '../page-ocr.ts';
import type { DistinctiveTerm } from '../phonetics/distinctive-terms.ts';
import type {
  ChunkingRequest,
  ChunkingResponsePart,
  ScannedParagraph,
  TermedChunk,
} from './chunking-request.ts';
import { chunkingResponse } from './chunking-response.ts';

const PROGRAM = compiledProgram(import.meta.url, 'conversation/knowledge/chunking', 'worker.js');
const CPU_SECONDS = 60;
const MAX_RESPONSE_BYTES = 160 * 1024 * 1024;
/**
 * Plain text of this size is split in milliseconds and cannot exploit a parser, so it needs no separate process,
 * which takes longer to start.
 */
const SMALL_BYTES = 32 * 1024;
/** Each page takes seconds of a core. */
const MOST_SCANNED = 200;

export interface ChunkDocumentOptions {
  readonly bytes: Uint8Array;
  readonly format: DocumentFormat;
  readonly language: string;
  readonly title: string | null;
  readonly name: string;
  readonly scans: RecognizePage | null;
  /** Throws where the quota has no space for this many chunks. */
  readonly expect: (chunks: number) => Promise<void>;
  readonly onScanned: (share: number) => Promise<void>;
}

export interface DocumentChunks {
  readonly title: string;
  readonly characters: number;
  readonly text: readonly Buffer[];
  readonly chunks: readonly TermedChunk[];
  readonly words: readonly DistinctiveTerm[];
}

/** Parses the document in a separate process. Throws UnreadableDocument. */
export async function chunkDocument(
  order: ChunkDocumentOptions,
  signal: AbortSignal,
): Promise<DocumentChunks> {
  const first = await ask(order, null, signal);
  if (!('pictured' in first)) return first;
  const scanned = await scan(order, first.pictured, signal);
  const second = await ask(order, scanned, signal);
  if ('pictured' in second) throw new Error('The pages were scanned twice.');
  return second;
}

async function ask(
  { bytes, expect, scans, onScanned: _, ...document }: ChunkDocumentOptions,
  scanned: readonly ScannedParagraph[] | null,
  signal: AbortSignal,
): Promise<DocumentChunks | { readonly pictured: readonly number[] }> {
  const asked: ChunkingRequest = { ...document, mayScan: scans !== null, scanned };
  const found = { title: document.name, characters: 0 };
  const text: Buffer[] = [];
  const chunks: TermedChunk[] = [];
  const words: DistinctiveTerm[] = [];
  for await (const part of partsOf(asked, bytes, signal)) {
    if (part.kind === 'pictured') return { pictured: part.pages };
    if (part.kind === 'summary') {
      await expect(part.chunks);
      Object.assign(found, { title: part.title, characters: part.characters });
    } else if (part.kind === 'text') text.push(Buffer.from(part.text));
    else if (part.kind === 'chunks') chunks.push(...part.chunks);
    else words.push(...part.words);
  }
  return { ...found, text, chunks, words };
}

function partsOf(
  asked: ChunkingRequest,
  bytes: Uint8Array,
  signal: AbortSignal,
): AsyncGenerator<ChunkingResponsePart> {
  if (asked.format === 'txt' && bytes.length <= SMALL_BYTES) return chunkingResponse(asked, bytes);
  const order = {
    program: PROGRAM,
    request: asked,
    cpuSeconds: CPU_SECONDS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
  };
  return runParserProcess<ChunkingResponsePart>(order, bytes, signal);
}

async function scan(
  { bytes, scans, onScanned }: ChunkDocumentOptions,
  pages: readonly number[],
  signal: AbortSignal,
): Promise<readonly ScannedParagraph[]> {
  if (pages.length > MOST_SCANNED)
    throw new UnreadableDocument(
      `The document has ${pages.length} scanned pages; the limit is ${MOST_SCANNED}. Split it into several documents.`,
    );
  const found: ScannedParagraph[] = [];
  for (const [at, page] of pages.entries()) {
    const picture: PageImage | null = await readPageImageIsolated(bytes, page, signal);
    const paragraphs = picture === null ? [] : ((await scans?.(picture, signal)) ?? []);
    for (const text of paragraphs) found.push({ page, text });
    await onScanned(at / pages.length);
  }
  return found;
}

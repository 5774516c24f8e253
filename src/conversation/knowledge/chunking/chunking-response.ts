import {
  type DocumentBlock,
  parseDocument,
  UnreadableDocument,
} from '../../../language/documents/contract.ts';
import { MAX_CHUNKS_PER_DOCUMENT } from '../limits.ts';
import { wordCounts } from '../phonetics/distinctive-terms.ts';
import { termsOf } from '../ranking/terms.ts';
import type { ChunkingRequest, ChunkingResponsePart } from './chunking-request.ts';
import { type Chunk, chunked } from './chunks.ts';

const WORDS_AT_ONCE = 1_000;
const CHARACTERS_AT_ONCE = 64 * 1024;
const CHUNKS_AT_ONCE = 32;
/** A page with fewer characters counts as scanned. */
const LEAST_CHARACTERS = 8;

export async function* chunkingResponse(
  asked: ChunkingRequest,
  bytes: Uint8Array,
): AsyncGenerator<ChunkingResponsePart> {
  const { blocks: read, title: found, pictured = [] } = await parseDocument(bytes, asked.format);
  if (pictured.length > 0 && asked.scanned === null) {
    if (asked.mayScan) return yield { kind: 'pictured', pages: pictured };
    if (charactersOf(read) < LEAST_CHARACTERS * pictured.length)
      throw new UnreadableDocument(
        'The document consists of scanned pages without text, and this server cannot recognize their script.',
      );
  }
  const { text, chunks } = chunked(withScanned(read, asked));
  if (chunks.length === 0) throw new UnreadableDocument('The document has no text.');
  if (chunks.length > MAX_CHUNKS_PER_DOCUMENT)
    throw new UnreadableDocument(
      'The document has more text than can be indexed. Split it into several documents.',
    );
  const title = asked.title ?? found ?? asked.name;
  yield { kind: 'summary', title, chunks: chunks.length, characters: text.length };
  for (const words of inParts(wordCounts([title, text]), WORDS_AT_ONCE)) yield { kind: 'words', words };
  for (let at = 0; at < text.length; at += CHARACTERS_AT_ONCE)
    yield { kind: 'text', text: text.slice(at, at + CHARACTERS_AT_ONCE) };
  const termed = (chunk: Chunk) => ({
    ...chunk,
    headingTerms: termsOf(`${title} ${chunk.heading}`, asked.language).join(' '),
    bodyTerms: termsOf(chunk.text, asked.language).join(' '),
  });
  for (const some of inParts(chunks, CHUNKS_AT_ONCE)) yield { kind: 'chunks', chunks: some.map(termed) };
}

/** Scanned paragraphs of one page keep their order. */
const withScanned = (
  blocks: readonly DocumentBlock[],
  { scanned }: ChunkingRequest,
): readonly DocumentBlock[] =>
  scanned === null || scanned.length === 0
    ? blocks
    : [...blocks, ...scanned.map((one) => ({ ...one, kind: 'text' as const }))].sort(
        (one, other) => (one.page ?? 0) - (other.page ?? 0),
      );

const charactersOf = (blocks: readonly DocumentBlock[]): number =>
  blocks.reduce(
    (sum, block) => sum + (block.kind === 'table' ? block.rows.flat().join('') : block.text).length,
    0,
  );

function* inParts<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

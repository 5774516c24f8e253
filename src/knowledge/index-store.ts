import { type Kysely, sql } from 'kysely';
import type { Reach } from '../access/contract.ts';
import type { Trx } from '../jobs/index.ts';
import { type Tables, within } from '../storage/index.ts';
import type { Chunk } from './chunking/chunks.ts';
import { termsOf } from './ranking/terms.ts';
import type { IndexedWords, WordIndex } from './ranking/word-index.ts';
import type { SoundingTerm } from './sounding/sound-alikes.ts';

export interface IndexedChunk extends Chunk {
  /** Null: the language has no model of meaning. */
  readonly vector: Int8Array | null;
}

export interface Indexing {
  readonly reach: Reach;
  readonly base: string;
  readonly document: string;
  readonly title: string;
  readonly language: string;
  readonly chunks: readonly IndexedChunk[];
  readonly terms: readonly SoundingTerm[];
}

/** Puts a document's chunks in the place of those that it had. */
export async function storeChunks(transaction: Trx, words: WordIndex, indexing: Indexing): Promise<void> {
  const { reach, base, document, title, language, chunks, terms } = indexing;
  await removeChunks(transaction, reach, document);
  const mine = within(transaction, reach);
  const indexed: IndexedWords[] = [];
  for (const [ordinal, chunk] of chunks.entries()) {
    const { number } = await mine
      .insertInto('knowledge_chunks', {
        base_id: base,
        document_id: document,
        ordinal,
        heading: chunk.heading,
        text: chunk.text,
        span_start: chunk.start,
        span_end: chunk.end,
        page: chunk.page,
        vector: chunk.vector === null ? null : Buffer.from(chunk.vector.buffer),
      })
      .returning('number')
      .executeTakeFirstOrThrow();
    const heading = termsOf(`${title} ${chunk.heading}`, language);
    indexed.push({ number: Number(number), base, heading, body: termsOf(chunk.text, language) });
  }
  await words.add(transaction, indexed);
  for (const term of terms)
    await mine.insertInto('knowledge_terms', { base_id: base, document_id: document, ...term }).execute();
  await touch(transaction, reach, base);
}

/** Text, vectors and words of a document are gone. */
export async function removeChunks(transaction: Trx, reach: Reach, document: string): Promise<void> {
  const mine = within(transaction, reach);
  await mine.deleteFrom('knowledge_chunks').where('document_id', '=', document).execute();
  await mine.deleteFrom('knowledge_terms').where('document_id', '=', document).execute();
}

/** What was read of the base before is stale. */
export async function touch(db: Kysely<Tables>, reach: Reach, base: string): Promise<void> {
  await within(db, reach)
    .updateTable('knowledge_bases')
    .set({ revision: sql<number>`revision + 1` })
    .where('id', '=', base)
    .execute();
}

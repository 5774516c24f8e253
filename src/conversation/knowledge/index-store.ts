import { setTimeout } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import { type Storage, type Tables, withinTenant } from '../../foundation/storage/index.ts';
import type { TermedChunk } from './chunking/chunking-request.ts';
import type { PronouncedTerm } from './phonetics/phonetic-matcher.ts';
import type { WordIndex } from './ranking/word-index.ts';

export interface IndexedChunk extends TermedChunk {
  readonly ordinal: number;
  readonly vector: Int8Array | null;
}

/** The chunks of a generation can be found once the document's row names it. */
export interface Generation {
  readonly scope: TenantScope;
  readonly base: string;
  readonly document: string;
  readonly generation: number;
}

export type Transact = (write: (transaction: Trx) => Promise<void>) => Promise<void>;

/** Adds chunks that searches do not find yet, because a document has too many for one transaction. */
export async function addChunks(
  transaction: Trx,
  words: WordIndex,
  { scope, base, document, generation }: Generation,
  chunks: readonly IndexedChunk[],
): Promise<void> {
  if (chunks.length === 0) return;
  const rows = chunks.map((chunk) => ({
    base_id: base,
    document_id: document,
    generation,
    ordinal: chunk.ordinal,
    heading: chunk.heading,
    text: chunk.text,
    span_start: chunk.start,
    span_end: chunk.end,
    page: chunk.page,
    vector: chunk.vector === null ? null : Buffer.from(chunk.vector.buffer),
  }));
  const numbers = await withinTenant(transaction, scope)
    .insertInto('knowledge_chunks', rows)
    .returning(['number', 'ordinal'])
    .execute();
  const byOrdinal = new Map(numbers.map(({ number, ordinal }) => [ordinal, Number(number)]));
  const indexed = chunks.map(({ ordinal, headingTerms, bodyTerms }) => ({
    number: byOrdinal.get(ordinal) as number,
    base,
    heading: listed(headingTerms),
    body: listed(bodyTerms),
  }));
  await words.add(transaction, indexed);
}

const listed = (terms: string): string[] => (terms === '' ? [] : terms.split(' '));

/** Runs in the transaction that makes a generation the document's current one. */
export async function publishTerms(
  transaction: Trx,
  { scope, base, document }: Generation,
  terms: readonly PronouncedTerm[],
): Promise<void> {
  const mine = withinTenant(transaction, scope);
  await mine.deleteFrom('knowledge_terms').where('document_id', '=', document).execute();
  for (const term of terms)
    await mine.insertInto('knowledge_terms', { base_id: base, document_id: document, ...term }).execute();
  await touch(transaction, scope, base);
}

const SLICE_MS = 20;
const MOST_AT_ONCE = 32;

/**
 * Removes the chunks of all other generations. Overwriting the words of each takes milliseconds, so they are removed
 * in batches with equally long pauses.
 */
export async function clearChunks(
  storage: Pick<Storage, 'db'>,
  transact: Transact,
  {
    scope,
    document,
    blobBytes,
  }: { readonly scope: TenantScope; readonly document: string; readonly blobBytes: number | null },
): Promise<void> {
  for (;;) {
    let stale = withinTenant(storage.db, scope)
      .selectFrom('knowledge_chunks')
      .select('number')
      .where('document_id', '=', document)
      .limit(MOST_AT_ONCE);
    if (blobBytes !== null) stale = stale.where('generation', '!=', blobBytes);
    const numbers = (await stale.execute()).map(({ number }) => Number(number));
    if (numbers.length === 0) return;
    while (numbers.length > 0) {
      const began = performance.now();
      let deleted = 0;
      await transact(async (transaction) => {
        deleted = await deleteSlice(transaction, scope, numbers, began + SLICE_MS);
      });
      numbers.splice(0, deleted);
      await setTimeout(performance.now() - began);
    }
  }
}

async function deleteSlice(
  transaction: Trx,
  scope: TenantScope,
  numbers: readonly number[],
  until: number,
): Promise<number> {
  const mine = withinTenant(transaction, scope);
  let deleted = 0;
  for (const number of numbers) {
    await mine.deleteFrom('knowledge_chunks').where('number', '=', number).execute();
    deleted += 1;
    if (performance.now() >= until) break;
  }
  return deleted;
}

export async function touch(db: Kysely<Tables>, scope: TenantScope, base: string): Promise<void> {
  await withinTenant(db, scope)
    .updateTable('knowledge_bases')
    .set({ revision: sql<number>`revision + 1` })
    .where('id', '=', base)
    .execute();
}

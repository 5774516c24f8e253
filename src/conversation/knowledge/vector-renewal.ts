import { setTimeout } from 'node:timers/promises';
import type { Trx } from '../../foundation/jobs/index.ts';
import { acrossTenants, type Storage } from '../../foundation/storage/index.ts';
import { quantised } from '../../language/retrieval/index.ts';
import type { EmbeddingModelOf } from './contract.ts';
import { type EmbedChunks, embeddedText } from './indexing.ts';

export interface VectorRenewalDeps {
  readonly storage: Storage;
  readonly embed: EmbedChunks;
  readonly embeddingModel: EmbeddingModelOf;
  readonly onError: (error: Error) => void;
}

const RETRY_MS = 60_000;
const PAGE = 200;
const EMBEDDED_AT_ONCE = 16;

interface OutdatedDocument {
  readonly id: string;
  readonly title: string;
  readonly generation: number;
  readonly base_id: string;
  readonly language: string;
  readonly environment: 'live' | 'sandbox';
  readonly vector_model: string | null;
}

/**
 * Re-embeds documents whose vectors come from another model than their language's current one, or are missing. Until
 * then, search finds such a document by its words, because vectors of different models are never compared.
 */
export class VectorRenewal {
  readonly #deps: VectorRenewalDeps;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(deps: VectorRenewalDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running = this.#runUntilDone(this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** The model may not be loaded yet, or the database unavailable. */
  async #runUntilDone(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        return await this.run(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#deps.onError(error as Error);
        await setTimeout(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let after = ''; ; ) {
      const documents = await this.#page(after);
      for (const document of documents) {
        signal.throwIfAborted();
        if (document.vector_model !== this.#deps.embeddingModel(document.language).name)
          await this.#renew(document, signal);
      }
      const last = documents.at(-1);
      if (last === undefined || documents.length < PAGE) return;
      after = last.id;
    }
  }

  async #page(after: string): Promise<readonly OutdatedDocument[]> {
    return await acrossTenants(this.#deps.storage.db)
      .selectFrom('knowledge_documents')
      .innerJoin('knowledge_bases', 'knowledge_bases.id', 'knowledge_documents.base_id')
      .select([
        'knowledge_documents.id',
        'knowledge_documents.title',
        'knowledge_documents.generation',
        'knowledge_documents.base_id',
        'knowledge_documents.vector_model',
        'knowledge_bases.language',
        'knowledge_bases.environment',
      ])
      .where('knowledge_documents.id', '>', after)
      .where('knowledge_documents.chunks', '>', 0)
      .orderBy('knowledge_documents.id')
      .limit(PAGE)
      .execute();
  }

  /** The document's row names the model once all of its passages have its vectors. */
  async #renew(document: OutdatedDocument, signal: AbortSignal): Promise<void> {
    const { storage, embed, embeddingModel } = this.#deps;
    for (let after = -1; ; ) {
      const chunks = await acrossTenants(storage.db)
        .selectFrom('knowledge_chunks')
        .select(['number', 'ordinal', 'heading', 'text'])
        .where('document_id', '=', document.id)
        .where('generation', '=', document.generation)
        .where('ordinal', '>', after)
        .orderBy('ordinal')
        .limit(EMBEDDED_AT_ONCE)
        .execute();
      const last = chunks.at(-1);
      if (last === undefined) break;
      const texts = chunks.map((chunk) => embeddedText(document.title, chunk));
      const vectors = await embed(texts, document, signal);
      if (vectors.length < texts.length) return;
      await storage.transaction(async (transaction) => {
        for (const [at, { number }] of chunks.entries())
          await storeVector(transaction, Number(number), quantised(vectors[at] as Float32Array));
      });
      after = last.ordinal;
    }
    await storage.transaction(async (transaction) => {
      const renewed = await acrossTenants(transaction)
        .updateTable('knowledge_documents')
        .set({ vector_model: embeddingModel(document.language).name })
        .where('id', '=', document.id)
        .where('generation', '=', document.generation)
        .returning('base_id')
        .executeTakeFirst();
      if (renewed === undefined) return;
      await acrossTenants(transaction)
        .updateTable('knowledge_bases')
        .set((eb) => ({ revision: eb('revision', '+', 1) }))
        .where('id', '=', renewed.base_id)
        .execute();
    });
  }
}

async function storeVector(transaction: Trx, number: number, vector: Int8Array): Promise<void> {
  await acrossTenants(transaction)
    .updateTable('knowledge_chunks')
    .set({ vector: Buffer.from(vector.buffer) })
    .where('number', '=', number)
    .execute();
}

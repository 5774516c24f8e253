import type { Trx } from '../../foundation/jobs/index.ts';
import type { BackgroundTasks, RepeatingTask } from '../../foundation/platform/background-tasks.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { acrossTenants, type Storage } from '../../foundation/storage/index.ts';
import { quantised } from '../../language/retrieval/index.ts';
import { type Embedding, type EmbeddingModel, KNOWLEDGE_LANGUAGES } from './contract.ts';
import { embeddedText } from './indexing.ts';

export interface VectorRenewalDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly embedding: Embedding;
  readonly background: BackgroundTasks;
}

/** The interval between two checks of the operator's selection. */
const CHECK_MS = 30_000;
/** The model may not be loaded yet. */
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
 * Re-embeds documents whose vectors come from another model than their language's current one, or are missing. It runs when
 * the server starts and after the operator has selected another model. Until then, search uses the model that a document was
 * embedded by, or its words if that model is gone: vectors of different models are never compared. It opens the models of all
 * documents.
 */
export class VectorRenewal {
  readonly #deps: VectorRenewalDeps;
  readonly #stopping = new AbortController();
  #task: RepeatingTask | undefined;
  #last = { selected: '', isComplete: false, at: 0 };

  constructor(deps: VectorRenewalDeps) {
    this.#deps = deps;
  }

  start(): void {
    const times = { everyMs: CHECK_MS, firstMs: 0 };
    this.#task = this.#deps.background.repeat('renewal of vectors', () => this.#runIfDue(), times);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#task?.stop();
  }

  async #runIfDue(): Promise<void> {
    const { clock, embedding } = this.#deps;
    const { signal } = this.#stopping;
    const selected = KNOWLEDGE_LANGUAGES.map((language) => embedding.modelFor(language).name).join(' ');
    const isDue = !this.#last.isComplete && clock.monotonic() - this.#last.at >= RETRY_MS;
    if (selected === this.#last.selected && !isDue) return;
    try {
      this.#last = { selected, isComplete: await this.run(signal), at: clock.monotonic() };
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Resolves with false where a document could not be embedded now. */
  async run(signal: AbortSignal): Promise<boolean> {
    let isComplete = true;
    const open = new Set<string>();
    for (let after = ''; ; ) {
      const documents = await this.#page(after);
      for (const document of documents) {
        signal.throwIfAborted();
        const model = this.#deps.embedding.modelFor(document.language);
        if (document.vector_model !== model.name)
          isComplete = (await this.#renew(document, model, signal)) && isComplete;
        else if (!open.has(model.name)) {
          open.add(model.name);
          isComplete = (await this.#deps.embedding.open(model)) && isComplete;
        }
      }
      const last = documents.at(-1);
      if (last === undefined || documents.length < PAGE) return isComplete;
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

  /**
   * The document's row names no model from the first new vector to the last, so that no search takes one model's vectors for
   * another's.
   */
  async #renew(document: OutdatedDocument, model: EmbeddingModel, signal: AbortSignal): Promise<boolean> {
    const { storage, embedding } = this.#deps;
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
      const vectors = await embedding.passages(texts, model, document, signal);
      if (vectors.length < texts.length) return false;
      await storage.transaction(async (transaction) => {
        if (after < 0) await nameModel(transaction, document, null);
        for (const [at, { number }] of chunks.entries())
          await storeVector(transaction, Number(number), quantised(vectors[at] as Float32Array));
      });
      after = last.ordinal;
    }
    await storage.transaction((transaction) => nameModel(transaction, document, model.name));
    return true;
  }
}

async function nameModel(transaction: Trx, document: OutdatedDocument, model: string | null): Promise<void> {
  const named = await acrossTenants(transaction)
    .updateTable('knowledge_documents')
    .set({ vector_model: model })
    .where('id', '=', document.id)
    .where('generation', '=', document.generation)
    .returning('base_id')
    .executeTakeFirst();
  if (named === undefined) return;
  await acrossTenants(transaction)
    .updateTable('knowledge_bases')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', named.base_id)
    .execute();
}

async function storeVector(transaction: Trx, number: number, vector: Int8Array): Promise<void> {
  await acrossTenants(transaction)
    .updateTable('knowledge_chunks')
    .set({ vector: Buffer.from(vector.buffer) })
    .where('number', '=', number)
    .execute();
}

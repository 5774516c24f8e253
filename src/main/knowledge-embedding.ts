import type { Embedding, EmbeddingModel } from '../conversation/knowledge/index.ts';
import { deadline } from '../foundation/platform/deadline.ts';
import type { Models } from '../foundation/platform/models/index.ts';
import {
  capacityShareOf,
  type Engine,
  embedByAdded,
  embedMultilingual,
  embedTexts,
  openEmbedderJob,
} from '../media/engine/index.ts';
import type { AddedEmbedder, AddedModels } from '../speech/added-models/index.ts';

/** MiniLM was trained on English, and ranks better there. */
const ENGLISH: EmbeddingModel = { name: 'minilm-l6', minSimilarity: 0.38 };
/**
 * E5's cosines lie close together: in seven languages, 69 % of the questions exceed this value with their answer, and
 * 4 % with an unrelated passage.
 */
const OTHERS: EmbeddingModel = { name: 'e5-small', minSimilarity: 0.83 };
/** A question whose embedding takes longer is searched by words alone. */
const EMBED_TIMEOUT_MS = 150;

type Texts = Parameters<typeof embedTexts>[2];

/**
 * Embeds for knowledge bases, by the model that the operator selected for the language or the bundled one. An added model is
 * named by its folder, which has the digest of its files, so that another model of the same name is another one.
 */
export class KnowledgeEmbedding implements Embedding {
  readonly #engine: Engine;
  readonly #models: Models;
  readonly #added: AddedModels;
  readonly #onError: (error: Error) => void;
  readonly #opening = new Map<string, Promise<void>>();
  readonly #open = new Set<string>();
  #version = '';

  constructor(engine: Engine, models: Models, added: AddedModels, onError: (error: Error) => void) {
    this.#engine = engine;
    this.#models = models;
    this.#added = added;
    this.#onError = onError;
  }

  modelFor(language: string): EmbeddingModel {
    this.#refresh();
    const chosen = this.#added.chosenEmbedder(language);
    const added = chosen === undefined ? undefined : this.#added.find(chosen);
    if (added?.kind === 'embedding-model') return modelOf(added);
    if (chosen === OTHERS.name) return OTHERS;
    return language === 'en' ? ENGLISH : OTHERS;
  }

  find(name: string): EmbeddingModel | null {
    const stock = [ENGLISH, OTHERS].find((one) => one.name === name);
    const added = stock === undefined ? this.#addedOf(name) : undefined;
    return stock ?? (added === undefined ? null : modelOf(added));
  }

  async passages(
    texts: readonly string[],
    { name }: EmbeddingModel,
    { environment }: Parameters<Embedding['passages']>[2],
    signal: AbortSignal,
  ): Promise<readonly Float32Array[]> {
    const added = this.#addedOf(name);
    if (added !== undefined) {
      try {
        await this.#opened(added);
      } catch {
        return [];
      }
    } else if (!this.#isStock(name)) return [];
    const options = { live: false, signal, share: capacityShareOf(environment) };
    return await this.#embed(name, 'passage', texts, options);
  }

  async question(text: string, { name }: EmbeddingModel, signal: AbortSignal): Promise<Float32Array | null> {
    const added = this.#addedOf(name);
    if (added !== undefined && !this.#open.has(added.folder)) {
      this.#opened(added).catch(() => undefined);
      return null;
    }
    if (added === undefined && !this.#isStock(name)) return null;
    const inTime = deadline(EMBED_TIMEOUT_MS, signal);
    try {
      const [vector] = await this.#embed(name, 'query', [text], { live: true, signal: inTime });
      return vector ?? null;
    } catch (error) {
      if (signal.aborted) throw error;
      return null;
    }
  }

  async open({ name }: EmbeddingModel): Promise<boolean> {
    await this.#engine.prepared();
    const added = this.#addedOf(name);
    if (added === undefined && !this.#isStock(name)) return false;
    try {
      if (added === undefined) await this.#embed(name, 'query', ['open'], { live: false });
      else await this.#opened(added);
      return true;
    } catch (error) {
      if (added === undefined) this.#onError(error as Error);
      return false;
    }
  }

  #embed(
    name: string,
    role: 'query' | 'passage',
    texts: readonly string[],
    options: Texts,
  ): Promise<Float32Array[]> {
    const added = this.#addedOf(name);
    if (added === undefined)
      return name === ENGLISH.name
        ? embedTexts(this.#engine, texts, options)
        : embedMultilingual(this.#engine, role, texts, options);
    const { embedder } = added;
    return embedByAdded(
      this.#engine,
      { model: this.#added.pathOf(added), size: embedder.size },
      texts.map((text) => embedder[role] + text),
      options,
    );
  }

  #addedOf(name: string): AddedEmbedder | undefined {
    return this.#added.list
      .filter((model) => model.kind === 'embedding-model')
      .find((model) => model.folder === name);
  }

  #isStock(name: string): boolean {
    return [ENGLISH, OTHERS].some((one) => one.name === name) && this.#models.status(name).ready;
  }

  /** A failure is reported once, and forgotten when the operator changes the models. */
  #opened(added: AddedEmbedder): Promise<void> {
    const known = this.#opening.get(added.folder);
    if (known !== undefined) return known;
    const opening = this.#engine
      .submit(openEmbedderJob, { model: this.#added.pathOf(added) }, new Uint8Array())
      .result()
      .then(() => void this.#open.add(added.folder));
    opening.catch((error: unknown) => this.#onError(error as Error));
    this.#opening.set(added.folder, opening);
    return opening;
  }

  /** Closes the models that were removed. */
  #refresh(): void {
    if (this.#added.version === this.#version) return;
    this.#version = this.#added.version;
    const present = this.#added.list.filter((model) => model.kind === 'embedding-model');
    const isPresent = (folder: string) => present.some((model) => model.folder === folder);
    for (const folder of [...this.#opening.keys()])
      if (!this.#open.has(folder) || !isPresent(folder)) this.#opening.delete(folder);
    const closed = [...this.#open].filter((folder) => !isPresent(folder));
    if (closed.length === 0) return;
    for (const folder of closed) this.#open.delete(folder);
    const keep = present.map((model) => this.#added.pathOf(model));
    this.#engine
      .submit(openEmbedderJob, { keep }, new Uint8Array())
      .result()
      .catch((error: unknown) => this.#onError(error as Error));
  }
}

const modelOf = ({ folder, measured }: AddedEmbedder): EmbeddingModel => ({
  name: folder,
  minSimilarity: measured.minSimilarity,
});

import type { Clock } from '../../foundation/platform/clock.ts';
import type { AgentLanguage } from '../text/index.ts';

/** Returns unit vectors for the texts, in their order. */
export type EmbedFunction = (
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<readonly Float32Array[]>;

/** The model was trained on English and ranks other languages wrongly, so those rank by words alone. */
const LANGUAGES: ReadonlySet<AgentLanguage> = new Set(['en']);

/** A turn continues without semantic similarity after this time: a late answer is worse than a missed paraphrase. */
const EMBEDDING_TIMEOUT_MS = 250;
const MAX_CACHED_EMBEDDINGS = 4_096;

/** Measures semantic similarity. A persona's texts are embedded once and cached for later turns and calls. */
export class SemanticSimilarity {
  readonly #embed: EmbedFunction;
  readonly #clock: Clock;
  readonly #embeddings = new Map<string, Float32Array>();

  constructor(embed: EmbedFunction, clock: Clock) {
    this.#embed = embed;
    this.#clock = clock;
  }

  /** Embeds ahead of the first question. Never rejects. */
  async prepare(texts: readonly string[], language: AgentLanguage): Promise<void> {
    if (!LANGUAGES.has(language)) return;
    await this.#vectors(texts, new AbortController().signal).catch(() => undefined);
  }

  /**
   * Returns the cosine of each text with `question`; null for another language, without a model, or after the
   * timeout.
   */
  async similarities(
    question: string,
    texts: readonly string[],
    language: AgentLanguage,
    signal: AbortSignal,
  ): Promise<number[] | null> {
    if (!LANGUAGES.has(language) || texts.length === 0) return null;
    const late = new AbortController();
    const stop = this.#clock.after(EMBEDDING_TIMEOUT_MS, () => late.abort());
    const given = AbortSignal.any([signal, late.signal]);
    try {
      const vectors = await orAborted(this.#vectors([question, ...texts], given), given);
      const [asked, ...others] = vectors;
      return asked === undefined ? null : others.map((vector) => dot(asked, vector));
    } catch {
      return null;
    } finally {
      stop();
    }
  }

  async #vectors(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    const unknown = [...new Set(texts)].filter((text) => !this.#embeddings.has(text));
    const found = new Map<string, Float32Array>();
    if (unknown.length > 0) {
      const made = await this.#embed(unknown, signal);
      for (const [index, text] of unknown.entries()) found.set(text, made[index] ?? new Float32Array());
    }
    const vectors = texts.map((text) => found.get(text) ?? this.#embeddings.get(text) ?? new Float32Array());
    for (const [index, text] of texts.entries()) this.#keep(text, vectors[index] as Float32Array);
    return vectors;
  }

  #keep(text: string, vector: Float32Array): void {
    this.#embeddings.delete(text);
    this.#embeddings.set(text, vector);
    for (const oldest of this.#embeddings.keys()) {
      if (this.#embeddings.size <= MAX_CACHED_EMBEDDINGS) break;
      this.#embeddings.delete(oldest);
    }
  }
}

const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    const notify = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', notify, { once: true });
    stop = () => signal.removeEventListener('abort', notify);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stop();
    work.catch(() => undefined);
  }
}

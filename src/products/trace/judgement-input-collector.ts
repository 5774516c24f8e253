import { normalizeIpa } from '../../language/text/index.ts';
import {
  type Embed,
  type JudgementInputData,
  type JudgementInputs,
  judgementInputsOf,
  type Pronounce,
  type RequiredInputs,
  type ZonesOf,
} from './judgement-inputs.ts';

export interface JudgementInputSources {
  readonly pronounce: Pronounce | null;
  readonly embed: Embed | null;
  readonly zonesOf: ZonesOf;
  readonly onFault?: (error: Error) => void;
}

/** Words that were pronounced and sentences that were embedded before; the oldest go first. */
const CACHED_WORDS = 20_000;
const CACHED_SENTENCES = 4_000;
/** The limit of a conversation with its rules; no real call has as many sentences, and each costs the model time. */
const MOST_SENTENCES = 20_000;
/** The model behind meaning was trained on English. */
const MEANING_IN = 'en';

/** Gathers what rules want to know, and keeps what it knows for the next conversation. */
export class JudgementInputCollector {
  readonly #sources: JudgementInputSources;
  readonly #sounds = new JudgementInputCache<string>(CACHED_WORDS);
  readonly #vectors = new JudgementInputCache<Float32Array>(CACHED_SENTENCES);

  constructor(sources: JudgementInputSources) {
    this.#sources = sources;
  }

  async learn(wanted: RequiredInputs): Promise<JudgementInputs> {
    return judgementInputsOf(await this.gather(wanted));
  }

  async gather({ language, words, sentences, numbers }: RequiredInputs): Promise<JudgementInputData> {
    const { pronounce, embed, zonesOf, onFault } = this.#sources;
    const spoken = language ?? 'en';
    const sounding = this.#sounds.fill(
      words,
      (word) => `${spoken} ${word}`,
      async (unknown) => {
        const ipa = (await pronounce?.(unknown, spoken)) ?? [];
        return ipa.map(normalizeIpa);
      },
      onFault,
    );
    const meant = language === MEANING_IN && sentences.length <= MOST_SENTENCES ? sentences : [];
    const meaning = this.#vectors.fill(
      meant,
      (text) => text,
      async (unknown) => (await embed?.(unknown)) ?? [],
      onFault,
    );
    const [sounds, vectors] = await Promise.all([sounding, meaning]);
    const zones = new Map(numbers.map((number) => [number, zonesOf(number)]));
    return { language: spoken, sounds, vectors, zones };
  }
}

class JudgementInputCache<T> {
  readonly #most: number;
  readonly #values = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves each text; a text that could not be resolved is missing from the result. */
  async fill(
    texts: readonly string[],
    keyOf: (text: string) => string,
    find: (unknown: readonly string[]) => Promise<readonly T[]>,
    onFault?: (error: Error) => void,
  ): Promise<ReadonlyMap<string, T>> {
    const found = new Map<string, T>();
    const unknown: string[] = [];
    for (const text of new Set(texts)) {
      const known = this.#values.get(keyOf(text));
      if (known === undefined) unknown.push(text);
      else found.set(text, known);
    }
    if (unknown.length === 0) return found;
    try {
      const values = await find(unknown);
      for (const [index, value] of values.entries()) {
        found.set(unknown[index] as string, value);
        this.#values.set(keyOf(unknown[index] as string), value);
      }
    } catch (error) {
      onFault?.(error as Error);
    }
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#most) break;
      this.#values.delete(oldest);
    }
    return found;
  }
}

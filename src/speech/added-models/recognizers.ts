import {
  type Engine,
  HEAR_LANGUAGES,
  openRecognizerJob,
  type RecognitionNeed,
  type RecognizerChoice,
} from '../../media/engine/index.ts';
import {
  type AddedModel,
  type AddedModels,
  type AddedMoonshine,
  type AddedRecognizer,
  STOCK_PARTIALS,
  STOCK_RECOGNIZER,
} from './lock.ts';
import { decidingRule, planAllows, type ServingRule } from './rules.ts';

type Opened = AddedRecognizer | AddedMoonshine;

/**
 * Chooses the recognizer of each stream, call and recording, and the Moonshine of its English partials. A large model opens in the background; the stock one serves
 * until it is open, and wherever the chosen one cannot be opened.
 */
export class Recognizers {
  readonly #engine: Engine;
  readonly #models: AddedModels;
  readonly #onError: (error: unknown, name: string) => void;
  readonly #open = new Map<string, 'opening' | 'open' | 'failed'>();
  #version: string | null = null;

  constructor(engine: Engine, models: AddedModels, onError: (error: unknown, name: string) => void) {
    this.#engine = engine;
    this.#models = models;
    this.#onError = onError;
  }

  /** The names that a customer may give. */
  get names(): readonly string[] {
    return [STOCK_RECOGNIZER, ...this.#added('whisper').map(({ name }) => name)];
  }

  choose = (need: RecognitionNeed): RecognizerChoice | null => {
    this.#refresh();
    for (const name of this.#wanted(need)) {
      if (name === STOCK_RECOGNIZER || name === STOCK_PARTIALS) return null;
      const model = this.#added(need.work === 'partials' ? 'moonshine' : 'whisper').find(
        (one) => one.name === name,
      );
      if (model === undefined || !knowsLanguage(model, need)) continue;
      const folder = this.#models.pathOf(model);
      if (this.#state(model, folder) === 'open') return { name, folder };
    }
    return null;
  };

  /** Opens what the operator's rules name. The promise resolves when all of it is open or has failed. */
  async prepare(): Promise<void> {
    const rules = [...this.#models.recognitionRules, ...this.#models.partialRules];
    const named = new Set(rules.flatMap(({ use }) => use));
    await Promise.all(
      this.#added()
        .filter(({ name }) => named.has(name))
        .map((model) => this.#start(model, this.#models.pathOf(model))),
    );
  }

  #added(...kinds: readonly Opened['kind'][]): Opened[] {
    const wanted: readonly string[] = kinds.length > 0 ? kinds : ['whisper', 'moonshine'];
    return this.#models.list
      .filter((model): model is Opened => wanted.includes(model.kind))
      .filter((model) => this.#models.status(model).ready);
  }

  *#wanted({ work, name, language, plan }: RecognitionNeed): Generator<string> {
    if (work === 'partials') return yield* this.#decided(this.#models.partialRules, { plan });
    if (name !== undefined && this.#allows(name, plan)) yield name;
    yield* this.#decided(this.#models.recognitionRules, { language, plan });
  }

  #decided(
    rules: readonly ServingRule[],
    need: Pick<RecognitionNeed, 'language' | 'plan'>,
  ): readonly string[] {
    if (rules.length === 0) return [];
    return decidingRule(rules, { ...need, device: this.#engine.stats().device })?.use ?? [];
  }

  /** A plan allows the stock recognizer and those of its rules. */
  #allows(name: string, plan: string | undefined): boolean {
    return name === STOCK_RECOGNIZER || planAllows(this.#models.recognitionRules, name, plan);
  }

  #refresh(): void {
    if (this.#models.version === this.#version) return;
    this.#version = this.#models.version;
    this.#closeRemoved();
    void this.prepare();
  }

  /** It also forgets failures, because the operator may have repaired their cause. */
  #closeRemoved(): void {
    const keep = this.#added().map((model) => this.#models.pathOf(model));
    const closed = [...this.#open].filter(([folder, state]) => state === 'failed' || !keep.includes(folder));
    for (const [folder] of closed) this.#open.delete(folder);
    if (closed.length === 0) return;
    this.#engine
      .submit(openRecognizerJob, { keep }, new Uint8Array())
      .result()
      .catch((error: unknown) => this.#onError(error, 'all'));
  }

  #state(model: Opened, folder: string): 'opening' | 'open' | 'failed' | undefined {
    if (!this.#open.has(folder)) void this.#start(model, folder);
    return this.#open.get(folder);
  }

  async #start({ name, kind }: Opened, folder: string): Promise<void> {
    if (this.#open.has(folder)) return;
    this.#open.set(folder, 'opening');
    try {
      const opened = kind === 'moonshine' ? { quick: folder } : { recognizer: folder };
      await this.#engine.submit(openRecognizerJob, opened, new Uint8Array()).result();
      this.#open.set(folder, 'open');
    } catch (error) {
      this.#open.set(folder, 'failed');
      this.#onError(error, name);
    }
  }
}

export function languagesOf(model: AddedModel): string[] {
  if (model.kind === 'piper-voice') return [model.voice.language];
  if ('voices' in model) return [...new Set(model.voices.map(({ language }) => language))];
  if (model.kind === 'speaker-encoder') return [];
  if (model.kind === 'embedding-model') return [...model.measured.languages];
  if (model.kind === 'moonshine') return ['en'];
  return model.recognizer.englishOnly ? ['en'] : [...HEAR_LANGUAGES];
}

export function knowsLanguage(model: Opened, { language, languages = [] }: RecognitionNeed): boolean {
  // Partials of other languages in the same stream come from the stock Whisper.
  if (model.kind === 'moonshine')
    return language === undefined || language === 'en' || languages.includes('en');
  return !model.recognizer.englishOnly || (language === 'en' && languages.every((one) => one === 'en'));
}

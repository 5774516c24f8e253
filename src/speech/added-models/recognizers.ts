import {
  type Engine,
  HEAR_LANGUAGES,
  openRecognizerJob,
  type RecognitionNeed,
  type RecognizerChoice,
} from '../../media/engine/index.ts';
import { type AddedModel, type AddedModels, type AddedRecognizer, STOCK_RECOGNIZER } from './lock.ts';
import { decidingRule, planAllows } from './rules.ts';

/**
 * Chooses the recognizer of each stream, call and recording. A large model opens in the background; the stock one serves
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
    return [STOCK_RECOGNIZER, ...this.#added().map(({ name }) => name)];
  }

  choose = (need: RecognitionNeed): RecognizerChoice | null => {
    this.#refresh();
    for (const name of this.#wanted(need)) {
      if (name === STOCK_RECOGNIZER) return null;
      const model = this.#added().find((one) => one.name === name);
      if (model === undefined || !knowsLanguage(model, need)) continue;
      const folder = this.#models.pathOf(model);
      if (this.#state(model, folder) === 'open') return { name, folder };
    }
    return null;
  };

  /** Opens what the operator's rules name. The promise resolves when all of it is open or has failed. */
  async prepare(): Promise<void> {
    const named = new Set(this.#models.recognitionRules.flatMap(({ use }) => use));
    await Promise.all(
      this.#added()
        .filter(({ name }) => named.has(name))
        .map((model) => this.#start(model, this.#models.pathOf(model))),
    );
  }

  #added(): AddedRecognizer[] {
    return this.#models.list
      .filter((model) => model.kind === 'whisper')
      .filter((model) => this.#models.status(model).ready);
  }

  *#wanted({ name, language, plan }: RecognitionNeed): Generator<string> {
    const { recognitionRules } = this.#models;
    if (name !== undefined && this.#allows(name, plan)) yield name;
    if (recognitionRules.length === 0) return;
    const { device } = this.#engine.stats();
    yield* decidingRule(recognitionRules, { language, plan, device })?.use ?? [];
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

  #state(model: AddedRecognizer, folder: string): 'opening' | 'open' | 'failed' | undefined {
    if (!this.#open.has(folder)) void this.#start(model, folder);
    return this.#open.get(folder);
  }

  async #start({ name }: AddedRecognizer, folder: string): Promise<void> {
    if (this.#open.has(folder)) return;
    this.#open.set(folder, 'opening');
    try {
      await this.#engine.submit(openRecognizerJob, { recognizer: folder }, new Uint8Array()).result();
      this.#open.set(folder, 'open');
    } catch (error) {
      this.#open.set(folder, 'failed');
      this.#onError(error, name);
    }
  }
}

export function languagesOf(model: AddedModel): string[] {
  if (model.kind === 'piper-voice') return [model.voice.language];
  if (model.kind === 'kokoro-voices') return [...new Set(model.voices.map(({ language }) => language))];
  if (model.kind === 'embedding-model') return [...model.measured.languages];
  return model.recognizer.englishOnly ? ['en'] : [...HEAR_LANGUAGES];
}

export const knowsLanguage = (
  { recognizer }: AddedRecognizer,
  { language, languages }: RecognitionNeed,
): boolean =>
  !recognizer.englishOnly || (language === 'en' && (languages ?? []).every((one) => one === 'en'));

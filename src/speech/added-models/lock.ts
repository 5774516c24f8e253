import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RETRIEVAL_LANGUAGES } from '../../language/retrieval/index.ts';
import { hashFile } from './download.ts';
import { AddedModelError } from './errors.ts';
import { type ServingRule, withoutName } from './rules.ts';
import { StyleLinks } from './style-links.ts';

export interface LockedFile {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface Measured {
  readonly realTimeFactor: number;
  readonly memoryBytes: number;
  /** `heard` is the transcript of the spoken sentence; null where recognition does not support the language. */
  readonly spoken: string;
  readonly heard: string | null;
}

export interface PiperFacts {
  readonly language: string;
  readonly region: string | null;
  readonly accent: string;
  readonly rate: number;
  readonly quality: string | null;
  readonly speakers: readonly { readonly name: string; readonly id: number }[];
}

/** The sizes are read from the weights. `englishOnly` weights know no other language. */
export interface WhisperFacts {
  readonly format: string;
  readonly bands: number;
  readonly encoderLayers: number;
  readonly layers: number;
  readonly heads: number;
  readonly width: number;
  readonly vocabulary: number;
  readonly englishOnly: boolean;
}

export interface EmbedderFacts {
  readonly architecture: string;
  readonly tokenizer: 'word_pieces' | 'unigram';
  readonly tokens: number;
  readonly size: number;
  readonly pooling: 'mean' | 'first' | 'graph';
  /** The texts that the model expects before a question and before a passage. */
  readonly query: string;
  readonly passage: string;
}

export interface EmbedderMeasured {
  /** The languages in which it finds the passage that answers a question. */
  readonly languages: readonly string[];
  /** A passage with less similarity is not about the question. */
  readonly minSimilarity: number;
  readonly passageMs: number;
  readonly memoryBytes: number;
}

interface AddedFiles {
  readonly name: string;
  readonly source: string;
  readonly revision: string | null;
  readonly licence: string | null;
  readonly addedAt: string;
  readonly inputs: readonly LockedFile[];
  readonly files: readonly LockedFile[];
  readonly folder: string;
}

export interface AddedVoice extends AddedFiles {
  readonly kind: 'piper-voice';
  readonly voice: PiperFacts;
  readonly measured: Measured;
}

export interface AddedRecognizer extends AddedFiles {
  readonly kind: 'whisper';
  readonly recognizer: WhisperFacts;
  readonly measured: Measured;
}

export interface KokoroVoice {
  readonly name: string;
  /** Names the table in the engine's folder of styles. */
  readonly style: string;
  readonly language: string;
  readonly region: string | null;
  readonly accent: string;
  readonly gender: 'female' | 'male';
}

/** Style tables for the Kokoro that comes with the product. */
export interface AddedStyles extends AddedFiles {
  readonly kind: 'kokoro-voices';
  readonly voices: readonly KokoroVoice[];
  readonly measured: Measured;
}

export interface AddedEmbedder extends AddedFiles {
  readonly kind: 'embedding-model';
  readonly embedder: EmbedderFacts;
  readonly measured: EmbedderMeasured;
}

export type AddedModel = AddedVoice | AddedRecognizer | AddedStyles | AddedEmbedder;

interface Lock {
  readonly format: 1;
  readonly models: readonly AddedModel[];
  readonly use: {
    readonly voices: Readonly<Record<string, string>>;
    /** By plan, then by language; `voices` holds for the plans that are not here. */
    readonly planVoices?: Readonly<Record<string, Readonly<Record<string, string>>>>;
    readonly recognition?: readonly ServingRule[];
    readonly brains?: readonly ServingRule[];
    /** The embedding model of each language; the bundled ones serve the languages that are not here. */
    readonly embedders?: Readonly<Record<string, string>>;
  };
}

/** The recognizer that comes with the product. */
export const STOCK_RECOGNIZER = 'whisper-base';

/** The embedding models that come with the product, with the languages that each can serve. */
export const STOCK_EMBEDDERS: Readonly<Record<string, readonly string[]>> = {
  'minilm-l6': ['en'],
  'e5-small': RETRIEVAL_LANGUAGES,
};

const EMPTY: Lock = { format: 1, models: [], use: { voices: {} } };
export const MODEL_NAME = /^[a-z][a-z0-9_]{1,63}$/;

/** Reads `models.lock` again whenever it has changed, so that a running server serves what is added. */
export class AddedModels {
  readonly folder: string;
  readonly #path: string;
  readonly #styles: StyleLinks;
  #known: { readonly stamp: string; readonly lock: Lock } = { stamp: '', lock: EMPTY };

  constructor(dataDir: string) {
    this.folder = join(dataDir, 'models');
    this.#path = join(dataDir, 'models.lock');
    this.#styles = new StyleLinks(dataDir);
  }

  get list(): readonly AddedModel[] {
    return this.#read().models;
  }

  /** A plan is null where the choice holds for every plan without one of its own. */
  get chosenVoices(): readonly {
    readonly language: string;
    readonly plan: string | null;
    readonly voice: string;
  }[] {
    const { voices, planVoices = {} } = this.#read().use;
    const listed = (plan: string | null, of: Readonly<Record<string, string>>) =>
      Object.entries(of).map(([language, voice]) => ({ language, plan, voice }));
    return [...Object.entries(planVoices).flatMap(([plan, of]) => listed(plan, of)), ...listed(null, voices)];
  }

  chosenVoice(language: string, plan?: string): string | undefined {
    const { voices, planVoices = {} } = this.#read().use;
    const ofPlan = plan !== undefined && Object.hasOwn(planVoices, plan) ? planVoices[plan] : undefined;
    return ofPlan?.[language] ?? voices[language];
  }

  get recognitionRules(): readonly ServingRule[] {
    return this.#read().use.recognition ?? [];
  }

  get brainRules(): readonly ServingRule[] {
    return this.#read().use.brains ?? [];
  }

  get chosenEmbedders(): readonly { readonly language: string; readonly model: string }[] {
    return Object.entries(this.#read().use.embedders ?? {}).map(([language, model]) => ({ language, model }));
  }

  chosenEmbedder(language: string): string | undefined {
    return this.#read().use.embedders?.[language];
  }

  get version(): string {
    this.#read();
    return this.#known.stamp;
  }

  find(name: string): AddedModel | undefined {
    return this.list.find((model) => model.name === name);
  }

  pathOf(model: AddedModel): string {
    return join(this.folder, model.folder);
  }

  status(model: AddedModel): { readonly ready: boolean; readonly detail?: string } {
    const folder = this.pathOf(model);
    for (const { path, bytes } of model.files) {
      const stat = statSync(join(folder, path), { throwIfNoEntry: false });
      if (stat?.size !== bytes)
        return {
          ready: false,
          detail: `${path} is ${stat ? 'damaged' : 'missing'}: remove the model and add it again`,
        };
    }
    return { ready: true };
  }

  async changedFiles(model: AddedModel): Promise<readonly string[]> {
    const changed: string[] = [];
    for (const { path, sha256 } of model.files) {
      const file = join(this.pathOf(model), path);
      if (!existsSync(file) || (await hashFile(file)) !== sha256) changed.push(file);
    }
    return changed;
  }

  add(model: AddedModel): void {
    const lock = this.#read();
    if (lock.models.some(({ name }) => name === model.name)) throw nameTaken(model.name);
    this.#write({ ...lock, models: [...lock.models, model] });
  }

  /** A call in progress finishes with the removed voice, because its files stay open. */
  remove(name: string): void {
    const lock = this.#read();
    const model = this.find(name);
    if (!model) throw unknown(name);
    const gone = model.kind === 'embedding-model' ? [name] : voiceIdsOf(model);
    const stays = (voices: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(voices).filter(([, voice]) => !gone.includes(voice)));
    const { planVoices = {} } = lock.use;
    this.#write({
      ...lock,
      models: lock.models.filter((other) => other !== model),
      use: {
        ...lock.use,
        voices: stays(lock.use.voices),
        planVoices: Object.fromEntries(Object.entries(planVoices).map(([plan, of]) => [plan, stays(of)])),
        recognition: withoutName(this.recognitionRules, name),
        embedders: stays(lock.use.embedders ?? {}),
      },
    });
    rmSync(join(this.folder, name), { recursive: true, force: true });
    if (model.kind === 'kokoro-voices') this.linkStyles();
  }

  /** The engine finds the tables of added voices, and those of one that is being tried. */
  linkStyles(
    tried: { readonly folder: string; readonly voices: readonly KokoroVoice[] } | null = null,
  ): void {
    const added = this.list
      .filter((model) => model.kind === 'kokoro-voices')
      .map((model) => ({ folder: this.pathOf(model), voices: model.voices }));
    const all = tried === null ? added : [...added, tried];
    this.#styles.refresh(
      all.flatMap(({ folder, voices }) => voices.map(({ style }) => join(folder, `${style}.bin`))),
    );
  }

  useVoice(language: string, voice: string | null, plan: string | null = null): void {
    const lock = this.#read();
    const { voices, planVoices = {} } = lock.use;
    const { [language]: _, ...others } = (plan === null ? voices : planVoices[plan]) ?? {};
    const changed = voice === null ? others : { ...others, [language]: voice };
    const use = plan === null ? { voices: changed } : { planVoices: { ...planVoices, [plan]: changed } };
    this.#write({ ...lock, use: { ...lock.use, ...use } });
  }

  /** The names are those of the operator's list of language models, which this file does not have. */
  useBrains(rules: readonly ServingRule[]): void {
    const lock = this.#read();
    this.#write({ ...lock, use: { ...lock.use, brains: rules } });
  }

  useRecognition(rules: readonly ServingRule[]): void {
    for (const { use } of rules)
      for (const name of use)
        if (name !== STOCK_RECOGNIZER && this.find(name)?.kind !== 'whisper')
          throw new AddedModelError(`there is no recognizer ${name}: npx trunkline models list`);
    const lock = this.#read();
    this.#write({ ...lock, use: { ...lock.use, recognition: rules } });
  }

  /** Null restores the bundled model of the language. */
  useEmbedder(language: string, name: string | null): void {
    if (!RETRIEVAL_LANGUAGES.some((known) => known === language))
      throw new AddedModelError(
        `knowledge bases are in ${RETRIEVAL_LANGUAGES.join(', ')}, not in ${language}`,
      );
    const lock = this.#read();
    const { [language]: _, ...others } = lock.use.embedders ?? {};
    const why = name === null ? null : this.whyNotEmbedder(name, language);
    if (why !== null) throw new AddedModelError(why);
    const embedders = name === null ? others : { ...others, [language]: name };
    this.#write({ ...lock, use: { ...lock.use, embedders } });
  }

  /** Returns null where the model can serve knowledge bases in the language. */
  whyNotEmbedder(name: string, language: string): string | null {
    const model = this.find(name);
    const languages = model?.kind === 'embedding-model' ? model.measured.languages : STOCK_EMBEDDERS[name];
    if (languages === undefined) return `There is no embedding model ${name}.`;
    return languages.includes(language)
      ? null
      : `${name} finds passages in ${languages.join(', ')}, not in ${language}.`;
  }

  #read(): Lock {
    const stat = statSync(this.#path, { throwIfNoEntry: false, bigint: true });
    const stamp = stat ? `${stat.mtimeNs}-${stat.size}-${stat.ino}` : '';
    if (stamp === this.#known.stamp) return this.#known.lock;
    const lock = stat ? parsed(readFileSync(this.#path, 'utf8'), this.#path) : EMPTY;
    this.#known = { stamp, lock };
    return lock;
  }

  #write(lock: Lock): void {
    mkdirSync(this.folder, { recursive: true });
    const arriving = `${this.#path}.new`;
    writeFileSync(arriving, `${JSON.stringify(lock, null, 2)}\n`, { mode: 0o600 });
    renameSync(arriving, this.#path);
  }
}

export const nameTaken = (name: string): AddedModelError =>
  new AddedModelError(`a model named ${name} already exists: choose another --as, or remove it first`);

const unknown = (name: string): AddedModelError =>
  new AddedModelError(`there is no added model ${name}: npx trunkline models list`);

/** A model with one speaker has one voice with the model's name; others have one voice per speaker, in order. */
export function voiceIds({ name, voice }: Pick<AddedVoice, 'name' | 'voice'>): readonly string[] {
  if (voice.speakers.length < 2) return [name];
  return voice.speakers.map((speaker) => `${name}_${slug(speaker.name)}`);
}

export const kokoroIds = (name: string, voices: readonly Pick<KokoroVoice, 'name'>[]): readonly string[] =>
  voices.length < 2 ? [name] : voices.map((voice) => `${name}_${voice.name}`);

export function voiceIdsOf(model: AddedModel): readonly string[] {
  if (model.kind === 'piper-voice') return voiceIds(model);
  return model.kind === 'kokoro-voices' ? kokoroIds(model.name, model.voices) : [];
}

export const slug = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');

export function digestOf(files: readonly LockedFile[]): string {
  const lines = files.map(({ path, sha256 }) => `${path} ${sha256}\n`).sort();
  return createHash('sha256').update(lines.join('')).digest('hex').slice(0, 12);
}

function parsed(text: string, path: string): Lock {
  let lock: Lock;
  try {
    lock = JSON.parse(text) as Lock;
  } catch {
    throw new AddedModelError(
      `${path} is not valid JSON: restore it from a backup, or remove it and add the models again`,
    );
  }
  if (lock.format !== 1)
    throw new AddedModelError(`${path} has format ${String(lock.format)}; this version of Trunkline reads 1`);
  return lock;
}

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ProcessLock } from '../../foundation/platform/process-lock.ts';
import { RETRIEVAL_LANGUAGES } from '../../language/retrieval/index.ts';
import type { SpeakerBounds } from '../../media/engine/index.ts';
import { hashFile } from './download.ts';
import { AddedModelError } from './errors.ts';
import { decidingRule, type ServingRule, withoutName, withRule } from './rules.ts';
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

/** The engine reads the sizes of the graphs. */
export interface MoonshineFacts {
  readonly form: 'onnx' | 'ort';
  readonly layers: number;
  readonly heads: number;
  readonly width: number;
  readonly vocabulary: number;
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

export interface EncoderFacts {
  readonly size: number;
  /** The window of the features that the encoder was trained on. */
  readonly window: 'povey' | 'hamming';
}

export interface EncoderMeasured {
  readonly bounds: SpeakerBounds;
  /** The share of pairs of one test voice that are more alike than pairs of two. */
  readonly right: number;
  readonly realTimeFactor: number;
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

/** It makes the partials of English. */
export interface AddedMoonshine extends AddedFiles {
  readonly kind: 'moonshine';
  readonly moonshine: MoonshineFacts;
  readonly measured: Measured;
}

export interface KokoroVoice {
  readonly name: string;
  /** Names the table in the engine's folder of styles, or in the model's own. */
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

/** A Kokoro of other weights, with its voices. */
export interface AddedKokoro extends AddedFiles {
  readonly kind: 'kokoro-model';
  readonly voices: readonly KokoroVoice[];
  readonly measured: Measured;
}

export interface AddedEmbedder extends AddedFiles {
  readonly kind: 'embedding-model';
  readonly embedder: EmbedderFacts;
  readonly measured: EmbedderMeasured;
}

export interface AddedSpeakerEncoder extends AddedFiles {
  readonly kind: 'speaker-encoder';
  readonly encoder: EncoderFacts;
  readonly measured: EncoderMeasured;
}

export type AddedModel =
  | AddedVoice
  | AddedRecognizer
  | AddedMoonshine
  | AddedStyles
  | AddedKokoro
  | AddedEmbedder
  | AddedSpeakerEncoder;

interface Lock {
  readonly format: 1;
  readonly models: readonly AddedModel[];
  readonly use: {
    /** Each rule has a language and one voice. */
    readonly voice?: readonly ServingRule[];
    readonly recognition?: readonly ServingRule[];
    /** Which Moonshine makes the partials of English. */
    readonly partials?: readonly ServingRule[];
    readonly brains?: readonly ServingRule[];
    /** The embedding model of each language; the bundled ones serve the languages that are not here. */
    readonly embedders?: Readonly<Record<string, string>>;
    /** The speaker encoder; the bundled one serves where it is absent. */
    readonly speakers?: string;
  };
}

/** The recognizer that comes with the product. */
export const STOCK_RECOGNIZER = 'whisper-base';

/** The quick recognizer that comes with the product, for the partials of English. */
export const STOCK_PARTIALS = 'moonshine-tiny-en';

/** The speaker encoder that comes with the product. */
export const STOCK_ENCODER = 'campplus';

/** The embedding models that come with the product, with the languages that each can serve. */
export const STOCK_EMBEDDERS: Readonly<Record<string, readonly string[]>> = {
  'minilm-l6': ['en'],
  'e5-small': RETRIEVAL_LANGUAGES,
};

/** A change takes milliseconds. */
const CHANGE_WAIT_MS = 2_000;

const EMPTY: Lock = { format: 1, models: [], use: {} };
export const MODEL_NAME = /^[a-z][a-z0-9_]{1,63}$/;

/** Reads `models.lock` again whenever it has changed, so that a running server serves what is added. */
export class AddedModels {
  readonly folder: string;
  readonly #path: string;
  readonly #styles: StyleLinks;
  readonly #adding: ProcessLock;
  readonly #changing: ProcessLock;
  #isChanging = false;
  #known: { readonly stamp: string; readonly lock: Lock } = { stamp: '', lock: EMPTY };

  constructor(dataDir: string) {
    this.folder = join(dataDir, 'models');
    this.#path = join(dataDir, 'models.lock');
    this.#styles = new StyleLinks(dataDir);
    this.#adding = new ProcessLock(join(dataDir, '.models-adding'));
    this.#changing = new ProcessLock(join(dataDir, '.models-changing'));
  }

  get list(): readonly AddedModel[] {
    return this.#read().models;
  }

  get voiceRules(): readonly ServingRule[] {
    return this.#read().use.voice ?? [];
  }

  chosenVoice(need: {
    readonly language: string;
    readonly plan?: string | undefined;
    readonly device?: string | undefined;
  }): string | undefined {
    return decidingRule(this.voiceRules, need)?.use[0];
  }

  get recognitionRules(): readonly ServingRule[] {
    return this.#read().use.recognition ?? [];
  }

  get partialRules(): readonly ServingRule[] {
    return this.#read().use.partials ?? [];
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

  get chosenEncoder(): string | undefined {
    return this.#read().use.speakers;
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

  /**
   * One model of a data folder is added at a time: two would share the files of one source or of one name. Returns the
   * release.
   */
  async startAdding(signal: AbortSignal, onWait: () => void): Promise<() => void> {
    mkdirSync(this.folder, { recursive: true });
    return await this.#adding.acquire(signal, onWait);
  }

  /** Moves the files of a model that is being added to its folder, over those that a killed addition has left. */
  place(name: string, files: string, folder: string): void {
    this.exclusively(() => {
      if (this.find(name)) throw nameTaken(name);
      this.discard(name);
      mkdirSync(join(this.folder, name), { recursive: true });
      renameSync(files, join(this.folder, folder));
    });
  }

  /** Removes the files of a model that was not added in the end. */
  discard(name: string): void {
    if (!this.find(name)) rmSync(join(this.folder, name), { recursive: true, force: true });
  }

  add(model: AddedModel): void {
    this.#change((lock) => {
      if (this.find(model.name)) throw nameTaken(model.name);
      return { ...lock, models: [...lock.models, model] };
    });
  }

  /** A call in progress finishes with the removed voice, because its files stay open. */
  remove(name: string): void {
    this.exclusively(() => this.#remove(name));
  }

  #remove(name: string): void {
    const lock = this.#read();
    const model = this.find(name);
    if (!model) throw unknown(name);
    const gone = voiceIdsOf(model);
    const { speakers, ...use } = lock.use;
    const embedders = Object.entries(lock.use.embedders ?? {}).filter(([, one]) => one !== name);
    this.#write({
      ...lock,
      models: lock.models.filter((other) => other !== model),
      use: {
        ...use,
        ...(speakers === undefined || speakers === name ? {} : { speakers }),
        voice: gone.reduce(withoutName, this.voiceRules),
        recognition: withoutName(this.recognitionRules, name),
        partials: withoutName(this.partialRules, name),
        embedders: Object.fromEntries(embedders),
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

  useVoices(rules: readonly ServingRule[]): void {
    // Rules of more conditions decide first, and of equally many the earlier one.
    const voice = rules.reduceRight((all: readonly ServingRule[], rule) => withRule(all, rule), []);
    this.#use({ voice });
  }

  /** The names are those of the operator's list of language models, which this file does not have. */
  useBrains(rules: readonly ServingRule[]): void {
    this.#use({ brains: rules });
  }

  useRecognition(rules: readonly ServingRule[]): void {
    for (const { use } of rules)
      for (const name of use)
        if (name !== STOCK_RECOGNIZER && this.find(name)?.kind !== 'whisper')
          throw new AddedModelError(`there is no recognizer ${name}: npx trunkline models list`);
    this.#use({ recognition: rules });
  }

  /** Rules have a plan and a device at most, because every Moonshine is for English. */
  usePartials(rules: readonly ServingRule[]): void {
    for (const { use } of rules)
      for (const name of use)
        if (name !== STOCK_PARTIALS && this.find(name)?.kind !== 'moonshine')
          throw new AddedModelError(`there is no Moonshine ${name}: npx trunkline models list`);
    this.#use({ partials: rules });
  }

  /** Null restores the bundled model of the language. */
  useEmbedder(language: string, name: string | null): void {
    if (!RETRIEVAL_LANGUAGES.some((known) => known === language))
      throw new AddedModelError(
        `knowledge bases are in ${RETRIEVAL_LANGUAGES.join(', ')}, not in ${language}`,
      );
    const why = name === null ? null : this.whyNotEmbedder(name, language);
    if (why !== null) throw new AddedModelError(why);
    this.#change((lock) => {
      const { [language]: _, ...others } = lock.use.embedders ?? {};
      const embedders = name === null ? others : { ...others, [language]: name };
      return { ...lock, use: { ...lock.use, embedders } };
    });
  }

  /** Null restores the bundled encoder. */
  useEncoder(name: string | null): void {
    if (name !== null && this.find(name)?.kind !== 'speaker-encoder')
      throw new AddedModelError(`there is no speaker encoder ${name}: npx trunkline models list`);
    this.#change((lock) => {
      const { speakers: _, ...others } = lock.use;
      return { ...lock, use: { ...others, ...(name === null ? {} : { speakers: name }) } };
    });
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

  #use(rules: Pick<Lock['use'], 'voice' | 'recognition' | 'partials' | 'brains'>): void {
    this.#change((lock) => ({ ...lock, use: { ...lock.use, ...rules } }));
  }

  #change(changed: (lock: Lock) => Lock): void {
    this.exclusively(() => this.#write(changed(this.#read())));
  }

  /** No other process changes `models.lock` during the work, such as a command beside a server. */
  exclusively<T>(work: () => T): T {
    if (this.#isChanging) return work();
    mkdirSync(this.folder, { recursive: true });
    const release = this.#changing.tryAcquire(CHANGE_WAIT_MS);
    if (release === null)
      throw new AddedModelError(
        `another process is changing the models of ${dirname(this.folder)}: try again when it has ended`,
        { cause: Object.assign(new Error('the lock of the models is held'), { code: 'SQLITE_BUSY' }) },
      );
    this.#isChanging = true;
    try {
      return work();
    } finally {
      this.#isChanging = false;
      release();
    }
  }

  #write(lock: Lock): void {
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
  return 'voices' in model ? kokoroIds(model.name, model.voices) : [];
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
  return withVoiceRules(lock);
}

/** Earlier builds kept a voice by language, and by plan and language. */
interface EarlierUse {
  readonly voices?: Readonly<Record<string, string>>;
  readonly planVoices?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

function withVoiceRules(lock: Lock): Lock {
  const { voices = {}, planVoices = {}, ...use } = lock.use as Lock['use'] & EarlierUse;
  const rulesOf = (chosen: Readonly<Record<string, string>>, plan: { readonly plan?: string }) =>
    Object.entries(chosen).map(([language, name]) => ({ language, ...plan, use: [name] }));
  const earlier = [
    ...rulesOf(voices, {}),
    ...Object.entries(planVoices).flatMap(([plan, chosen]) => rulesOf(chosen, { plan })),
  ];
  if (use.voice !== undefined || earlier.length === 0) return { ...lock, use };
  const voice = earlier.reduce((rules: readonly ServingRule[], rule) => withRule(rules, rule), []);
  return { ...lock, use: { ...use, voice } };
}

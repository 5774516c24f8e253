/**
 * Adds a model: downloads, recognizes, converts and tests it, and pins its bytes. A model that fails leaves no files.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, linkSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { PROJECT_ROOT } from '../../foundation/platform/project-root.ts';
import type { EngineVoice } from '../../media/engine/index.ts';
import { bring, licenceIn, type Network, type Offer, offerOf } from './acquire.ts';
import { hashFile } from './download.ts';
import { embedderFacts, embedderIn, titleOfEmbedder } from './embedder.ts';
import { AddedModelError, InterruptedError } from './errors.ts';
import { kindOfFile, whyUseless } from './kind.ts';
import {
  engineVoiceOf,
  engineVoiceOfModel,
  kokoroModelIn,
  kokoroStylesIn,
  kokoroVoices,
  titleOfKokoro,
  titleOfKokoroModel,
} from './kokoro.ts';
import {
  type AddedEmbedder,
  type AddedKokoro,
  type AddedModel,
  type AddedModels,
  type AddedMoonshine,
  type AddedRecognizer,
  type AddedSpeakerEncoder,
  type AddedStyles,
  type AddedVoice,
  digestOf,
  type EmbedderFacts,
  type EmbedderMeasured,
  type EncoderMeasured,
  type KokoroVoice,
  kokoroIds,
  type LockedFile,
  type Measured,
  MODEL_NAME,
  type MoonshineFacts,
  nameTaken,
  type PiperFacts,
  slug,
  voiceIds,
  type WhisperFacts,
} from './lock.ts';
import { moonshineIn, statedOfMoonshine, titleOfMoonshine } from './moonshine.ts';
import { onnxInputs } from './onnx-names.ts';
import { isPiperSettings, type PiperSettings, readPiperSettings } from './piper.ts';
import { parseSource } from './source.ts';
import { encoderFacts, speakersIn, titleOfEncoder } from './speakers.ts';
import { unserved } from './unserved.ts';
import { titleOfWhisper, whisperFacts, whisperIn } from './whisper.ts';

export interface AddOptions {
  readonly name?: string;
  readonly from: string | null;
  readonly modelsRoot: string;
  /** Makes the form of a recognizer that runs on a GPU, too. */
  readonly forGpu: boolean;
  readonly network: Network;
  readonly signal: AbortSignal;
  readonly isFree: (voice: string) => boolean;
  readonly agree: (offer: Offer, found: string | null) => Promise<boolean>;
  readonly progress: (bytes: number, of: number | null) => void;
  readonly step: (line: string) => void;
  readonly languageModel: (file: string) => Promise<void>;
  readonly test: (folder: string, voice: PiperFacts) => Promise<Measured>;
  readonly testKokoro: (voice: EngineVoice) => Promise<Measured>;
  readonly testRecognizer: (folder: string, facts: WhisperFacts) => Promise<Measured>;
  /** Returns the sizes that the engine reads of the graphs, too. */
  readonly testMoonshine: (
    folder: string,
  ) => Promise<Omit<MoonshineFacts, 'form'> & { readonly measured: Measured }>;
  readonly testEmbedder: (folder: string, facts: EmbedderFacts) => Promise<EmbedderMeasured>;
  readonly testEncoder: (folder: string) => Promise<EncoderMeasured>;
  readonly now: () => Date;
}

interface PiperFiles {
  readonly graph: string;
  readonly settings: PiperSettings;
  readonly settingsPath: string;
}

type Tried =
  | Pick<AddedVoice, 'kind' | 'voice' | 'measured'>
  | Pick<AddedStyles, 'kind' | 'voices' | 'measured'>
  | Pick<AddedKokoro, 'kind' | 'voices' | 'measured'>
  | Pick<AddedRecognizer, 'kind' | 'recognizer' | 'measured'>
  | Pick<AddedMoonshine, 'kind' | 'moonshine' | 'measured'>
  | Pick<AddedEmbedder, 'kind' | 'embedder' | 'measured'>
  | Pick<AddedSpeakerEncoder, 'kind' | 'encoder' | 'measured'>;

/** It says what the files are, how they are converted, and how they are tried. */
interface Recognized {
  readonly title: string;
  readonly name: string;
  /** The names that it takes besides its own. */
  readonly ids: (name: string) => readonly string[];
  readonly recipe: string;
  readonly inputs: readonly { readonly from: string; readonly as: string }[];
  readonly trying: string;
  readonly attempt: (
    folder: string,
    options: AddOptions,
    models: AddedModels,
    name: string,
  ) => Promise<Tried>;
}

const CONVERTER = join(PROJECT_ROOT, 'scripts/convert-model.mjs');
const UNUSABLE = 2;
const EMBEDDER = 'embedding/added.py';
const ENCODER = 'speakers/added.py';
const MOONSHINE = 'moonshine/added.py';
const WHISPER = 'whisper/added.py';
const KOKORO_MODEL = 'kokoro/added.py';
const KOKORO_STYLES = 'kokoro/styles.py';

const LANGUAGE_MODEL = 'language model (GGUF)';

/** Returns null when the operator does not agree. */
export async function addModel(
  models: AddedModels,
  text: string,
  options: AddOptions,
): Promise<AddedModel | 'language model' | null> {
  const source = parseSource(text, options.from);
  if (options.name !== undefined) checkName(models, options.name);
  const arriving = join(models.folder, `.arriving-${keyOf(text)}`);
  const isLocal = source.kind === 'folder' || source.kind === 'file';
  options.signal.throwIfAborted();
  const offer = await offerOf(source, options.network);
  const found = isLocal
    ? titleOfFiles(
        offer.files.map(({ from }) => from as string),
        text,
      )
    : null;
  if (!(await options.agree(offer, found))) return null;
  const release = await models.startAdding(options.signal, () =>
    options.step('waiting for another model to be added to this data folder'),
  );
  try {
    if (options.name !== undefined) checkName(models, options.name);
    const arrived = await bring(offer, arriving, options.network, options.progress, options.signal);
    const brain = languageModelIn(arrived);
    if (brain !== undefined) await options.languageModel(brain);
    const model =
      brain === undefined
        ? await make(models, text, offer, { arriving, paths: arrived }, options)
        : ('language model' as const);
    rmSync(arriving, { recursive: true, force: true });
    return model;
  } catch (error) {
    // A repeated command continues an interrupted download; any other failure removes the files.
    if (!(error instanceof InterruptedError)) rmSync(arriving, { recursive: true, force: true });
    throw error;
  } finally {
    release();
  }
}

async function make(
  models: AddedModels,
  source: string,
  offer: Offer,
  { arriving, paths }: { readonly arriving: string; readonly paths: readonly string[] },
  options: AddOptions,
): Promise<AddedModel> {
  const found = recognize(paths, source);
  const name = options.name ?? found.name;
  checkName(models, name);
  for (const id of [name, ...found.ids(name)])
    if (!options.isFree(id))
      throw new AddedModelError(`a voice named ${id} already exists: choose another --as`);
  const [food, out] = [join(arriving, '.in'), join(arriving, '.out')];
  for (const folder of [food, out]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(food);
  for (const { from, as } of found.inputs) place(from, join(food, as));
  if (found.recipe === EMBEDDER) writeFileSync(join(food, 'source.json'), JSON.stringify({ source }));
  options.step('converting');
  await convert(found.recipe, food, out, options);
  rmSync(food, { recursive: true });
  const files = await pinned(out, readdirSync(out).sort());
  const folder = join(name, digestOf(files));
  const target = join(models.folder, folder);
  models.place(name, out, folder);
  try {
    options.step(found.trying);
    const tried = await found.attempt(target, options, models, name);
    const model: AddedModel = {
      name,
      source,
      revision: offer.revision,
      licence: offer.licence ?? paths.map(licenceIn).find((one) => one !== null) ?? null,
      addedAt: options.now().toISOString(),
      inputs: await pinned(
        arriving,
        found.inputs.map(({ from }) => relative(arriving, from)),
      ),
      files,
      folder,
      ...tried,
    };
    models.add(model);
    return model;
  } catch (error) {
    models.discard(name);
    if (found.recipe === KOKORO_STYLES) models.linkStyles();
    throw error;
  }
}

function languageModelIn(paths: readonly string[]): string | undefined {
  const kinds = paths.map((path) => kindOfFile(path));
  if (kinds.includes('onnx')) return undefined;
  const found = paths.filter((_, at) => kinds[at] === 'gguf');
  if (found.length > 1)
    throw new AddedModelError(`there are ${found.length} language models (GGUF): give the file of one`);
  return found[0];
}

const titleOfFiles = (paths: readonly string[], source: string): string =>
  languageModelIn(paths) === undefined ? recognize(paths, source).title : LANGUAGE_MODEL;

function recognize(paths: readonly string[], source: string): Recognized {
  const isPiper = paths.some((path) => kindOfFile(path) === 'json' && isPiperSettings(path));
  const texts = isPiper ? null : embedder(paths, source);
  if (texts !== null) return texts;
  const people = isPiper ? null : encoder(paths, source);
  if (people !== null) return people;
  const speech = isPiper ? null : kokoroModel(paths, source);
  if (speech !== null) return speech;
  const quick = isPiper ? null : moonshine(paths, source);
  if (quick !== null) return quick;
  const known = unserved(paths);
  if (known !== null && !isPiper) throw new AddedModelError(`it is ${known}`);
  return whisper(paths, source) ?? kokoro(paths) ?? voice(paths);
}

function embedder(paths: readonly string[], source: string): Recognized | null {
  const found = embedderIn(paths, source);
  if (found === null) return null;
  return {
    title: 'the graph of an embedding model',
    name: found.name,
    ids: () => [],
    recipe: EMBEDDER,
    inputs: found.inputs,
    trying: 'searching passages',
    attempt: async (folder, { testEmbedder }) => {
      const facts = embedderFacts(folder);
      return {
        kind: 'embedding-model',
        embedder: facts,
        measured: await testEmbedder(folder, facts),
      };
    },
  };
}

function encoder(paths: readonly string[], source: string): Recognized | null {
  const found = speakersIn(paths, source);
  if (found === null) return null;
  return {
    title: 'the graph of a speaker encoder',
    name: found.name,
    ids: () => [],
    recipe: ENCODER,
    inputs: [{ from: found.graph, as: 'encoder.onnx' }],
    trying: 'telling voices',
    attempt: async (folder, { testEncoder }) => ({
      kind: 'speaker-encoder',
      encoder: encoderFacts(folder),
      measured: await testEncoder(folder),
    }),
  };
}

function whisper(paths: readonly string[], source: string): Recognized | null {
  const found = whisperIn(paths, source);
  if (found === null) return null;
  return {
    title: `weights as ${found.format} stores Whisper`,
    name: found.name,
    ids: () => [],
    recipe: WHISPER,
    inputs: found.paths.map((from) => ({ from, as: basename(from) })),
    trying: 'hearing a sentence',
    attempt: async (folder, { testRecognizer }) => {
      const recognizer = whisperFacts(folder);
      return { kind: 'whisper', recognizer, measured: await testRecognizer(folder, recognizer) };
    },
  };
}

function moonshine(paths: readonly string[], source: string): Recognized | null {
  const found = moonshineIn(paths, source);
  if (found === null) return null;
  return {
    title: 'the graphs of a Moonshine',
    name: found.name,
    ids: () => [],
    recipe: MOONSHINE,
    inputs: found.inputs,
    trying: 'hearing a sentence',
    attempt: async (folder, { testMoonshine }) => {
      const { form, ...stated } = statedOfMoonshine(folder);
      const { measured, ...sizes } = await testMoonshine(folder);
      for (const [name, size] of Object.entries(stated) as [keyof typeof stated, number | null][])
        if (size !== null && size !== sizes[name])
          throw new AddedModelError(
            `config.json states ${name} of ${size}, and the graphs have ${sizes[name]}: they belong to different models`,
          );
      return { kind: 'moonshine', moonshine: { form, ...sizes }, measured };
    },
  };
}

function kokoroModel(paths: readonly string[], source: string): Recognized | null {
  const found = kokoroModelIn(paths, source);
  if (found === null) return null;
  return {
    title: `the graph of a Kokoro, with ${found.inputs.length - 1} files beside it`,
    name: found.name,
    ids: () => [],
    recipe: KOKORO_MODEL,
    inputs: found.inputs,
    trying: 'speaking a sentence',
    attempt: async (folder, { testKokoro, isFree }, _models, name) => {
      const voices = kokoroVoices(folder);
      checkFree(kokoroIds(name, voices), isFree);
      const measured = await testFirsts(voices, (voice) => testKokoro(engineVoiceOfModel(voice, folder)));
      return { kind: 'kokoro-model', voices, measured };
    },
  };
}

function checkFree(ids: readonly string[], isFree: AddOptions['isFree']): void {
  const taken = ids.find((id) => !isFree(id));
  if (taken !== undefined) throw new AddedModelError(`there is a voice ${taken} already: give another --as`);
}

/** Tests the first voice of each language. */
async function testFirsts(
  voices: readonly KokoroVoice[],
  test: (voice: KokoroVoice) => Promise<Measured>,
): Promise<Measured> {
  const firsts = voices.filter(
    ({ language }, at) => voices.findIndex((one) => one.language === language) === at,
  );
  let measured: Measured | null = null;
  for (const one of firsts) measured = await test(one);
  return measured as unknown as Measured;
}

function kokoro(paths: readonly string[]): Recognized | null {
  const found = kokoroStylesIn(paths);
  if (found === null) return null;
  return {
    title: `style tables for Kokoro, ${found.inputs.length === 1 ? '1 file' : `${found.inputs.length} files`}`,
    name: found.name,
    ids: () => [],
    recipe: KOKORO_STYLES,
    inputs: found.inputs,
    trying: 'speaking a sentence',
    attempt: async (folder, { testKokoro, isFree }, models, name) => {
      const voices = kokoroVoices(folder);
      checkFree(kokoroIds(name, voices), isFree);
      models.linkStyles({ folder, voices });
      const measured = await testFirsts(voices, (voice) => testKokoro(engineVoiceOf(voice)));
      return { kind: 'kokoro-voices', voices, measured };
    },
  };
}

function voice(paths: readonly string[]): Recognized {
  const { graph, settings, settingsPath } = piperFiles(paths);
  const { dataset, ...facts } = settings;
  return {
    title: titleOfVoice(settings),
    name: defaultName(graph, settings),
    ids: (name) => voiceIds({ name, voice: facts }),
    recipe: 'piper/voice.py',
    inputs: [
      { from: graph, as: 'voice.onnx' },
      { from: settingsPath, as: 'voice.json' },
    ],
    trying: 'speaking a sentence',
    attempt: async (folder, { test }) => ({
      kind: 'piper-voice',
      voice: facts,
      measured: await test(folder, facts),
    }),
  };
}

function piperFiles(paths: readonly string[]): PiperFiles {
  const kinds = paths.map((path) => ({ path, kind: kindOfFile(path) }));
  for (const { path, kind } of kinds) {
    const why = whyUseless(path, kind);
    if (why !== null) throw new AddedModelError(`${basename(path)}: ${why}`);
  }
  const graphs = kinds.filter(({ kind }) => kind === 'onnx');
  const settings = kinds.filter(({ path, kind }) => kind === 'json' && isPiperSettings(path));
  const [graph] = graphs;
  if (graph === undefined) throw notKnown();
  if (graphs.length > 1)
    throw new AddedModelError(
      `there are ${graphs.length} graphs (${graphs.map(({ path }) => basename(path)).join(', ')}): give the file of one`,
    );
  if (settings.length === 0 && onnxInputs(graph.path).length === 0)
    throw new AddedModelError(`${basename(graph.path)} is damaged: its inputs cannot be read`);
  if (settings.length !== 1)
    throw new AddedModelError(
      `beside ${basename(graph.path)} there ${settings.length === 0 ? 'is no' : 'is more than one'} JSON file with a Piper voice's settings (${basename(graph.path)}.json)`,
    );
  const settingsPath = (settings[0] as { path: string }).path;
  return { graph: graph.path, settings: readPiperSettings(settingsPath), settingsPath };
}

function notKnown(): AddedModelError {
  return new AddedModelError(
    'no model was found in it: expected a Whisper (safetensors, CTranslate2, ggml), a Moonshine (two ONNX graphs with tokenizer.json), a Piper voice (an ONNX graph with its JSON settings), style tables of Kokoro (.bin, .pt, .npz), a Kokoro (an ONNX graph with style tables), an embedding model (an ONNX graph with tokenizer.json), a speaker encoder (an ONNX graph) or a language model (GGUF). A file may be damaged',
  );
}

export function titleOf(model: Tried): string {
  switch (model.kind) {
    case 'whisper':
      return titleOfWhisper(model.recognizer);
    case 'moonshine':
      return titleOfMoonshine(model.moonshine);
    case 'kokoro-voices':
      return titleOfKokoro(model.voices);
    case 'kokoro-model':
      return titleOfKokoroModel(model.voices);
    case 'embedding-model':
      return titleOfEmbedder(model.embedder);
    case 'speaker-encoder':
      return titleOfEncoder(model.encoder);
    case 'piper-voice':
      return titleOfVoice(model.voice);
  }
}

function titleOfVoice({ language, region, quality, speakers, rate }: PiperFacts): string {
  const count = speakers.length > 1 ? `, ${speakers.length} speakers` : '';
  return `Piper voice, ${language}${region ? `-${region.toUpperCase()}` : ''}${quality ? `, ${quality}` : ''}, ${rate} Hz${count}`;
}

function checkName(models: AddedModels, name: string): void {
  if (!MODEL_NAME.test(name))
    throw new AddedModelError(
      `${name} is not a valid name: a letter, then 1 to 63 small letters, digits and _`,
    );
  if (models.find(name)) throw nameTaken(name);
}

function defaultName(graph: string, { dataset, language, region }: PiperSettings): string {
  const stem = basename(graph).replace(/(\.onnx)?$/i, '');
  const name = slug([dataset ?? stem, language, region ?? ''].join('_'));
  return MODEL_NAME.test(name) ? name : `voice_${slug(language)}`;
}

function place(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

async function pinned(folder: string, paths: readonly string[]): Promise<LockedFile[]> {
  const files: LockedFile[] = [];
  for (const path of paths) {
    const file = join(folder, path);
    files.push({ path, sha256: await hashFile(file), bytes: statSync(file).size });
  }
  return files;
}

function convert(
  recipe: string,
  food: string,
  out: string,
  { modelsRoot, forGpu, from, signal, step }: AddOptions,
): Promise<void> {
  const args = [
    CONVERTER,
    recipe,
    food,
    out,
    ...(forGpu && recipe === WHISPER ? ['gpu'] : []),
    '--root',
    modelsRoot,
    ...(from === null ? [] : ['--from', from]),
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], signal });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      for (const line of text.split('\n'))
        if (line.startsWith('models: ')) step(line.slice('models: '.length));
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) return resolve();
      const lines = said.trim().split('\n');
      const why = code === UNUSABLE ? lines.at(-1) : lines.slice(-6).join('\n');
      reject(new AddedModelError(why || 'the conversion failed'));
    });
  });
}

const keyOf = (source: string): string => createHash('sha256').update(source).digest('hex').slice(0, 12);

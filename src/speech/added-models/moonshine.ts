import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { rootOfGraph } from './embedder.ts';
import { AddedModelError } from './errors.ts';
import { kindOfFile, whyUseless } from './kind.ts';
import { MODEL_NAME, type MoonshineFacts, slug } from './lock.ts';
import { onnxInputs } from './onnx-names.ts';
import { modelType } from './unserved.ts';

export interface MoonshineFiles {
  readonly inputs: readonly { readonly from: string; readonly as: string }[];
  readonly name: string;
}

/** The two graphs of one form: encoder_model_quantized.onnx and decoder_model_merged_quantized.onnx. */
const GRAPH = /^(encoder_model|decoder_model_merged)(_\w+)?\.(onnx|ort)$/;
const TOKENIZERS = ['tokenizer.json', 'tokenizer.bin'];
const COMPANIONS = ['config.json', ...TOKENIZERS];
const CARD = 'README.md';
/** Repositories with these hold a Whisper or a translator, whose graphs have the same names. */
const OTHERS = ['vocab.json', 'merges.txt', 'source.spm'];
/** The names of variants for other languages end with one of these; those of the English ones with their size. */
const OTHER_LANGUAGE = /moonshine[-_](?:tiny|base)[-_](ar|es|ja|ko|uk|vi|zh)(?:[-_]onnx)?$/i;
const LANGUAGE_TAG = /\b(?:english|[a-z]{2,3})(?![a-z])(?:[-_]\w+)*/g;
const ENGLISH = /^(?:en|eng|english)(?![a-z])/;

/**
 * Returns the paths of the graphs of a form: the one that `chosen` belongs to, or the one without a suffix, from the folder
 * itself or from `onnx` in it. Returns null where there is no such pair.
 */
export function moonshineGraphs(paths: readonly string[], chosen = ''): readonly string[] | null {
  const named = GRAPH.exec(basename(chosen));
  const folder = named === null ? chosen : dirname(chosen);
  const places = named === null ? [folder, join(folder, 'onnx')] : [folder];
  const forms = named === null ? ['.onnx', '.ort'] : [`${named[2] ?? ''}.${named[3]}`];
  for (const place of places)
    for (const form of forms) {
      const pair = ['encoder_model', 'decoder_model_merged'].map((graph) => join(place, `${graph}${form}`));
      if (pair.every((path) => paths.includes(path))) return pair;
    }
  return null;
}

/** Returns the graphs of a repository that has no files of other kinds with such graphs. */
export function moonshineOfRepository(paths: readonly string[], chosen: string): readonly string[] | null {
  return OTHERS.some((name) => paths.includes(name)) ? null : moonshineGraphs(paths, chosen);
}

/** Returns the graphs of a folder or a file and what lies beside them, and null where they are of no Moonshine. */
export function moonshineAt(path: string, isFolder: boolean): string[] | null {
  const folder = isFolder ? path : dirname(path);
  const paths = [folder, join(folder, 'onnx')].flatMap(filesIn);
  const graphs = moonshineGraphs(paths, path);
  if (graphs === null) return null;
  const found = [...graphs, ...companionsOf(graphs, (name) => existsSync(name))];
  return isMoonshine(found) ? found : null;
}

/** The settings and the card lie beside the graphs, or beside the folder `onnx`. */
export function companionsOf(graphs: readonly string[], exists: (path: string) => boolean): string[] {
  const graph = graphs[0] as string;
  const places = [...new Set([dirname(graph), dirname(join(rootOfGraph(graph), 'x'))])];
  return [...COMPANIONS, CARD].flatMap((name) => {
    const place = places.find((folder) => exists(join(folder, name)));
    return place === undefined ? [] : [join(place, name)];
  });
}

/** Repositories with several sizes have the tokenizer of all of them elsewhere. */
export const tokenizerElsewhere = (paths: readonly string[]): string | undefined =>
  paths.find((path) => TOKENIZERS.includes(basename(path)));

export const isTokenizer = (path: string): boolean => TOKENIZERS.includes(basename(path));

function isMoonshine(paths: readonly string[]): boolean {
  const settings = paths.find((path) => basename(path) === 'config.json');
  const type = settings === undefined ? '' : modelType(settings);
  if (type !== '') return type === 'moonshine';
  const graphs = paths.filter((path) => GRAPH.test(basename(path)));
  if (graphs.length > 0 && graphs.every((path) => kindOfFile(path) === 'ort')) return true;
  const takes = (name: string) => graphs.some((path) => onnxInputs(path).includes(name));
  return takes('input_values') && takes('encoder_hidden_states');
}

/** Returns null where the files are of no Moonshine, as a pair of graphs or as the weights of transformers. */
export function moonshineIn(paths: readonly string[], source: string): MoonshineFiles | null {
  if (!isMoonshine(paths)) return null;
  const networks = graphsIn(paths) ?? weightsIn(paths);
  if (networks.length === 0) return null;
  for (const path of paths) {
    const why = whyUseless(path, kindOfFile(path));
    if (why !== null) throw new AddedModelError(`${basename(path)}: ${why}`);
  }
  const language = otherLanguage(paths, source);
  if (language !== null)
    throw new AddedModelError(
      `it is a Moonshine for the language ${language}, and one for English alone is served, as partials of English (if it is English, write language: en in the README.md beside its files, the model card, which overrides its name)`,
    );
  const companions = paths
    .filter((path) => COMPANIONS.includes(basename(path)))
    .map((from) => ({ from, as: basename(from) }));
  if (!companions.some(({ as }) => TOKENIZERS.includes(as)))
    throw new AddedModelError(
      'it is a Moonshine without its tokens: put its tokenizer.json or tokenizer.bin beside the graphs',
    );
  return { inputs: [...networks, ...companions], name: nameOf(source) };
}

function graphsIn(paths: readonly string[]): MoonshineFiles['inputs'] | null {
  const found = ['encoder', 'decoder'].flatMap((name) => {
    const from = paths.find((path) => basename(path).startsWith(name) && GRAPH.test(basename(path)));
    return from === undefined ? [] : [{ from, as: `${name}.${GRAPH.exec(basename(from))?.[3]}` }];
  });
  return found.length === 2 ? found : null;
}

const weightsIn = (paths: readonly string[]): MoonshineFiles['inputs'] =>
  paths.filter((path) => kindOfFile(path) === 'safetensors').map((from) => ({ from, as: basename(from) }));

function otherLanguage(paths: readonly string[], source: string): string | null {
  const card = paths.find((path) => basename(path) === CARD);
  const [, head = ''] =
    /^---\r?\n([\s\S]*?)\n---/.exec(card === undefined ? '' : readFileSync(card, 'utf8')) ?? [];
  const [, stated = ''] = /^language:[ \t]*((?:.*)(?:\r?\n[ \t]*-.*)*)/m.exec(head) ?? [];
  const languages: readonly string[] = stated.toLowerCase().match(LANGUAGE_TAG) ?? [];
  const [first = OTHER_LANGUAGE.exec(calledBy(source))?.[1] ?? null] = languages;
  return languages.some((language) => ENGLISH.test(language)) ? null : first;
}

/** Folders of one size are called by their form; a repository by its own name. */
function calledBy(source: string): string {
  const [repository = source] = source.replace(/^hf:/, '').split(/[@:](?!\/\/)/);
  return basename(GRAPH.test(basename(repository)) ? rootOfGraph(repository) : repository);
}

function nameOf(source: string): string {
  const name = slug(calledBy(source));
  return MODEL_NAME.test(name) && name.includes('moonshine') ? name : 'moonshine';
}

const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(folder, entry.name))
    : [];

const Nullable = Type.Union([Type.Integer(), Type.Null()]);
const Stated = Type.Object({
  form: Type.Enum(['onnx', 'ort']),
  layers: Nullable,
  heads: Nullable,
  width: Nullable,
  vocabulary: Nullable,
});

/** Returns the sizes that config.json states; the engine reads the graphs themselves. */
export const statedOfMoonshine = (folder: string): Static<typeof Stated> =>
  Value.Parse(Stated, JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8')));

const SIZES: Readonly<Record<number, string>> = { 288: 'tiny', 416: 'base' };

export const titleOfMoonshine = ({ width, layers, form }: MoonshineFacts): string =>
  `Moonshine ${SIZES[width] ?? `of width ${width}`}, English, ${layers} layers, ${form === 'ort' ? 'ONNX Runtime' : 'ONNX'}`;

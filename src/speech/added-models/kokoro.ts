import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { EngineVoice } from '../../media/engine/index.ts';
import { rootOfGraph } from './embedder.ts';
import { AddedModelError } from './errors.ts';
import { type FileKind, kindOfFile } from './kind.ts';
import { type KokoroVoice, MODEL_NAME, slug } from './lock.ts';
import { onnxInputs } from './onnx-names.ts';

/** Kokoro names its voices by language and gender: `af_heart` is an American woman. */
const LANGUAGES: Readonly<Record<string, Pick<KokoroVoice, 'language' | 'region' | 'accent'>>> = {
  a: { language: 'en', region: 'us', accent: 'en-us' },
  b: { language: 'en', region: 'gb', accent: 'en-gb' },
  e: { language: 'es', region: null, accent: 'es' },
  f: { language: 'fr', region: 'fr', accent: 'fr-fr' },
  h: { language: 'hi', region: 'in', accent: 'hi' },
  i: { language: 'it', region: 'it', accent: 'it' },
  p: { language: 'pt', region: 'br', accent: 'pt-br' },
  j: { language: 'ja', region: 'jp', accent: 'ja' },
  z: { language: 'zh', region: 'cn', accent: 'zh' },
};
const NAMED = /^([a-z])([fm])_/;

/** The recipe tells the forms by these ends. */
const FORMS: Partial<Record<FileKind, string>> = { styles: 'bin', 'style-tensor': 'pt', npz: 'npz' };

export interface KokoroFiles {
  readonly inputs: readonly { readonly from: string; readonly as: string }[];
  readonly name: string;
}

/** Returns null where no file is a style table. A table's name is its file's, because its bytes do not tell the language. */
export function kokoroStylesIn(paths: readonly string[]): KokoroFiles | null {
  const inputs = paths.flatMap((from) => {
    const form = FORMS[kindOfFile(from)];
    if (form === undefined) return [];
    const stem = slug(basename(from).replace(/\.(bin|pt|npz)$/i, ''));
    return [{ from, as: `${stem}.${form}` }];
  });
  const [first] = inputs;
  if (first === undefined) return null;
  const stem = first.as.replace(/\.\w+$/, '').replace(NAMED, '');
  const name = inputs.length > 1 || first.as.endsWith('.npz') ? 'kokoro' : stem;
  return { inputs, name: MODEL_NAME.test(name) ? name : `kokoro_${name}`.slice(0, 64) };
}

/** Files beside a graph that state its phonemes, as Kokoro's repositories have them. */
const COMPANIONS = ['config.json', 'tokenizer.json'];
const CARDS = ['README.md', 'MODEL_CARD'];
const VOICE_FILE = /(^|\/)voices\/[a-z][fm]_[a-z0-9_]+\.(bin|pt)$/;
export const KOKORO_RATE = 24_000;

export function isKokoroGraph(path: string): boolean {
  if (kindOfFile(path) !== 'onnx') return false;
  const inputs = onnxInputs(path);
  return inputs.includes('style') && inputs.includes('speed');
}

/** Returns null where no file is the graph of a Kokoro. */
export function kokoroModelIn(paths: readonly string[], source: string): KokoroFiles | null {
  const graphs = paths.filter(isKokoroGraph);
  const [graph] = graphs;
  if (graph === undefined) return null;
  if (graphs.length > 1)
    throw new AddedModelError(
      `there are ${graphs.length} graphs (${graphs.map((path) => basename(path)).join(', ')}): give the file of one`,
    );
  const styles = kokoroStylesIn(paths);
  if (styles === null)
    throw new AddedModelError(
      `it is a Kokoro without voices: put its style tables (.bin, .pt, .npz) beside ${basename(graph)}, or in the folder voices`,
    );
  const companions = paths
    .filter((path) => COMPANIONS.includes(basename(path)))
    .map((from) => ({ from, as: basename(from) }));
  const inputs = [{ from: graph, as: 'kokoro.onnx' }, ...companions, ...styles.inputs];
  return { inputs, name: modelName(source, graph) };
}

function modelName(source: string, graph: string): string {
  const [repository = source] = source.replace(/^hf:/, '').split(/[@:](?!\/\/)/);
  const root = /\.onnx$/i.test(repository) ? rootOfGraph(repository) : repository;
  const stem = basename(graph).replace(/\.[^.]+$/, '');
  const name = slug(/^model/i.test(stem) ? basename(root) : stem);
  return MODEL_NAME.test(name) ? name : 'kokoro_model';
}

/** Returns the files of a folder that holds a Kokoro, with its voices there or in a folder of their own. */
export function kokoroOfFolder(folder: string): string[] | null {
  const graphs = [folder, join(folder, 'onnx')].flatMap(filesIn).filter(isKokoroGraph);
  return graphs.length === 0 ? null : [...graphs, ...companionsOfKokoro(folder)];
}

export const kokoroOfGraph = (graph: string): string[] => [graph, ...companionsOfKokoro(rootOfGraph(graph))];

const companionsOfKokoro = (root: string): string[] => [
  ...[root, join(root, 'voices')].flatMap(filesIn).filter((path) => FORMS[kindOfFile(path)] !== undefined),
  ...[...COMPANIONS, ...CARDS].map((name) => join(root, name)).filter((path) => existsSync(path)),
];

const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(folder, entry.name))
        .sort()
    : [];

/** Returns the voices and the companions of a repository's graph; none where the repository has no voices of Kokoro. */
export function kokoroCompanionsIn<File extends { readonly path: string }>(
  files: readonly File[],
  graph: string,
): readonly File[] {
  const root = dirname(join(rootOfGraph(graph), 'x'));
  const inRoot = (path: string) => root === '.' || path.startsWith(`${root}/`);
  const voices = files.filter(({ path }) => inRoot(path) && VOICE_FILE.test(path));
  if (voices.length === 0) return [];
  const raw = voices.filter(({ path }) => path.endsWith('.bin'));
  const small = [...COMPANIONS, ...CARDS].map((name) => join(root, name));
  return [...files.filter(({ path }) => small.includes(path)), ...(raw.length > 0 ? raw : voices)];
}

const Listed = Type.Array(Type.Object({ name: Type.String(), style: Type.String() }));

/** The recipe writes the names. Throws where no voice is of a language that Kokoro speaks here. */
export function kokoroVoices(folder: string): readonly KokoroVoice[] {
  const listed = Value.Parse(Listed, JSON.parse(readFileSync(join(folder, 'voices.json'), 'utf8')));
  const voices = listed.flatMap(({ name, style }): KokoroVoice[] => {
    const [, letter = '', gender] = NAMED.exec(name) ?? [];
    const spoken = LANGUAGES[letter];
    if (spoken === undefined) return [];
    return [{ name, style, ...spoken, gender: gender === 'f' ? 'female' : 'male' }];
  });
  if (voices.length === 0)
    throw new AddedModelError(
      `${listed.map(({ name }) => name).join(', ')}: the name tells no language that Kokoro speaks here. Name the file as Kokoro does, af_NAME.bin or af_NAME.pt: a b (English), e (Spanish), f (French), h (Hindi), i (Italian), p (Portuguese), j (Japanese), z (Chinese), then f or m`,
    );
  return voices;
}

export const engineVoiceOf = ({ language, accent, style }: KokoroVoice): EngineVoice => ({
  model: 'kokoro',
  language,
  accent,
  styles: [{ name: style, share: 1 }],
});

export const engineVoiceOfModel = (
  { language, accent, style }: KokoroVoice,
  folder: string,
  cost = 0,
): EngineVoice => ({
  model: 'kokoro',
  language,
  accent,
  styles: [{ name: style, share: 1 }],
  added: { folder, rate: KOKORO_RATE, speaker: 0, cost },
});

export const titleOfKokoroModel = (voices: readonly KokoroVoice[]): string =>
  `Kokoro of other weights, ${voices.length === 1 ? '1 voice' : `${voices.length} voices`}, ${languagesIn(voices)}`;

const languagesIn = (voices: readonly KokoroVoice[]): string =>
  [...new Set(voices.map(({ language }) => language))].join(', ');

export function titleOfKokoro(voices: readonly KokoroVoice[]): string {
  return `Kokoro ${voices.length === 1 ? 'voice' : `voices, ${voices.length}`}, ${languagesIn(voices)}`;
}

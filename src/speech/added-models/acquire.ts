import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import type { UrlGate } from '../../foundation/platform/url-gate/index.ts';
import { DISK_RESERVE, download, type RemoteFile } from './download.ts';
import {
  companionsOfGraph,
  EMBEDDER_FILES,
  embedderOfFolder,
  embedderOfRepository,
  embedsTexts,
  rootOfGraph,
} from './embedder.ts';
import { AddedModelError, NoSuchFileError } from './errors.ts';
import { type Hub, type HubFile, listRepository } from './hub.ts';
import { kindOfFile } from './kind.ts';
import { isKokoroGraph, kokoroCompanionsIn, kokoroOfFolder, kokoroOfGraph } from './kokoro.ts';
import {
  companionsOf,
  isTokenizer,
  moonshineAt,
  moonshineOfRepository,
  tokenizerElsewhere,
} from './moonshine.ts';
import { fileNameOf, type ModelSource } from './source.ts';

interface WantedFile {
  readonly path: string;
  /** The model may do without it. */
  readonly isOptional?: boolean;
  /** The size is null when the source states none before the download. */
  readonly bytes: number | null;
  readonly from: string | RemoteFile;
}

export interface Offer {
  readonly files: readonly WantedFile[];
  readonly bytes: number | null;
  readonly licence: string | null;
  readonly revision: string | null;
}

export interface Network {
  readonly gate: UrlGate;
  readonly hub: Hub;
}

/** Weights that are too large for one file: model-00001-of-00002.safetensors. */
const PART = /^model-\d{5}-of-\d{5}\.safetensors$/i;
const WEIGHTS = /\.(onnx|safetensors|gguf|bin|npz)$/i;
/** A style table of Kokoro; beside other weights, PyTorch's own form of them. */
const TENSOR = /\.pt$/i;
const SMALL_FILES = /(^|\/)(MODEL_CARD|LICEN[CS]E[^/]*|[^/]+\.json|[^/]+\.txt|README\.md)$/i;
const LARGEST_SMALL_FILE = 32 * 1024 * 1024;
const LICENCE_LINE = /^[\s*#>-]*licen[cs]e\s*:\s*(.+?)\s*$/im;

export async function offerOf(source: ModelSource, network: Network): Promise<Offer> {
  switch (source.kind) {
    case 'folder': {
      const paths = filesBelow(source.path);
      return local(rootOfPaths(paths, source.path), paths);
    }
    case 'file': {
      const moonshine = moonshineAt(source.path, false);
      if (moonshine !== null) return local(rootOfGraph(source.path), moonshine);
      if (isKokoroGraph(source.path)) return local(rootOfGraph(source.path), kokoroOfGraph(source.path));
      return embedsTexts(source.path)
        ? local(rootOfGraph(source.path), [source.path, ...companionsOfGraph(source.path)])
        : local(dirname(source.path), withSettings(source.path));
    }
    case 'url':
      return ofUrl(source.url);
    case 'hub':
      return await ofHub(source, network);
  }
}

/** Copies the files to `folder` and returns those that there are. Local files are linked or copied, so that the owner's originals never change. */
export async function bring(
  offer: Offer,
  folder: string,
  { gate }: Network,
  progress: (bytes: number, of: number | null) => void,
  signal: AbortSignal,
): Promise<readonly string[]> {
  for (const { path } of offer.files)
    if (!isInside(path)) throw new AddedModelError(`${path} lies outside of the folder of the model`);
  mkdirSync(folder, { recursive: true });
  checkFreeSpace(folder, offer.bytes ?? 0);
  let done = 0;
  const arrived: string[] = [];
  for (const { path, bytes, from, isOptional } of offer.files) {
    const target = join(folder, path);
    if (typeof from === 'string') place(from, target);
    else {
      const onProgress = (here: number, of: number | null) => progress(done + here, offer.bytes ?? of);
      try {
        await download(from, target, { gate, signal, onProgress });
      } catch (error) {
        if (isOptional === true && error instanceof NoSuchFileError) continue;
        throw error;
      }
    }
    arrived.push(target);
    done += bytes ?? statSync(target).size;
  }
  return arrived;
}

function local(root: string, paths: readonly string[]): Offer {
  const files = paths.map((path) => ({
    path: relative(root, path),
    bytes: statSync(path).size,
    from: path,
  }));
  const licence = paths.map(licenceIn).find((found) => found !== null) ?? null;
  return { files, bytes: sum(files), licence, revision: null };
}

/** The settings of the graphs in a folder `onnx` lie beside that folder. */
const rootOfPaths = (paths: readonly string[], folder: string): string =>
  paths.every((path) => isInside(relative(folder, path))) ? folder : dirname(folder);

const isInside = (path: string): boolean => !isAbsolute(path) && normalize(path).split(sep)[0] !== '..';

function filesBelow(folder: string): string[] {
  const embedder = embedderOfFolder(folder);
  if (embedder !== null) return [embedder, ...companionsOfGraph(embedder)].sort();
  const kokoro = kokoroOfFolder(folder);
  if (kokoro !== null) return kokoro;
  const moonshine = moonshineAt(folder, true);
  if (moonshine !== null) return moonshine;
  const paths = readdirSync(folder, { withFileTypes: true })
    .filter(
      (entry) => entry.isFile() || (entry.isSymbolicLink() && statSync(join(folder, entry.name)).isFile()),
    )
    .map((entry) => join(folder, entry.name))
    .filter((path) => !basename(path).startsWith('.'))
    .filter((path) => !isSmallFile(path) || statSync(path).size <= LARGEST_SMALL_FILE);
  if (paths.length === 0) throw new AddedModelError(`${folder} has no files`);
  return withoutCopies(paths).sort();
}

/** A repository often has the same weights in the forms of several programs. */
function withoutCopies(paths: readonly string[]): string[] {
  const isSafe = (path: string) => kindOfFile(path) === 'safetensors';
  return paths.some(isSafe) ? paths.filter((path) => isSmallFile(path) || isSafe(path)) : [...paths];
}

const withSettings = (path: string): string[] =>
  [
    path,
    ...settingsOfWeights(path),
    ...[`${path}.json`, path.replace(/\.[^.]+$/, '.json'), join(dirname(path), 'MODEL_CARD')].filter(
      (other, at, all) => other !== path && all.indexOf(other) === at && existsSync(other),
    ),
  ].filter((other, at, all) => all.indexOf(other) === at);

/** The settings and tokens of a Whisper have their own names; a file of whisper.cpp has them inside. */
function settingsOfWeights(path: string): string[] {
  if (!['safetensors', 'ctranslate2'].includes(kindOfFile(path))) return [];
  return filesBelow(dirname(path)).filter((other) => other !== path && isSmallFile(other));
}

function ofUrl(url: string): Offer {
  const name = fileNameOf(url);
  const files: WantedFile[] = [{ path: name, bytes: null, from: { url } }];
  if (/^model[\w-]*\.onnx$/i.test(name)) files.push(...companionsOfUrl(url));
  else if (/\.onnx$/i.test(name)) {
    const settings = new URL(url);
    settings.pathname += '.json';
    files.push({ path: `${name}.json`, bytes: null, from: { url: settings.href } });
  }
  // The small files are downloaded first, because their contents may end the addition before the large one.
  return { files: files.reverse(), bytes: null, licence: null, revision: null };
}

/** A graph of this name is an embedding model's; only the tokenizer is indispensable. */
function companionsOfUrl(url: string): WantedFile[] {
  const root = new URL(/\/onnx\/[^/]+$/.test(new URL(url).pathname) ? '../' : './', url);
  root.search = new URL(url).search;
  return EMBEDDER_FILES.map((path) => {
    const companion = new URL(root);
    companion.pathname += path;
    return { path, bytes: null, from: { url: companion.href }, isOptional: path !== 'tokenizer.json' };
  }).reverse();
}

async function ofHub(source: Extract<ModelSource, { kind: 'hub' }>, network: Network): Promise<Offer> {
  const { revision, licence, files } = await listRepository(network.hub, source, network.gate);
  const inside = (path: string) =>
    source.path === '' ||
    path === source.path ||
    path.startsWith(`${source.path}/`) ||
    path === `${source.path}.json`;
  const wanted = files.filter(({ path }) => inside(path));
  const moonshine = moonshineOfRepository(
    files.map(({ path }) => path),
    source.path,
  );
  if (moonshine !== null) return moonshineOffer(files, moonshine, { licence, revision });
  const embedder = source.path === '' ? embedderOfRepository(files.map(({ path }) => path)) : null;
  const weights =
    embedder === null ? oneForm(weightsOrTensors(wanted)) : files.filter(({ path }) => path === embedder);
  const where = `${source.owner}/${source.name}@${revision.slice(0, 12)}`;
  if (wanted.length === 0) throw new AddedModelError(`${where} has no file ${source.path}`);
  if (weights.length === 0)
    throw new AddedModelError(
      `${where} has no weights${source.path && ` in ${source.path}`} (onnx, safetensors, gguf, bin, npz, or a style table's pt)`,
    );
  if (weights.length > 1 && !weights.every(({ path }) => PART.test(path))) {
    const names = weights
      .slice(0, 5)
      .map(({ path }) => path)
      .join(', ');
    throw new AddedModelError(
      `${where} has ${weights.length} files of weights (${names}${weights.length > 5 ? ', …' : ''}): say which with :PATH behind the revision`,
    );
  }
  const first = (weights[0] as { path: string }).path;
  const voices = /\.onnx$/i.test(first) ? kokoroCompanionsIn(files, first) : [];
  if (voices.length > 0) {
    const graph = files.filter(({ path }) => path === first);
    const chosen = [...voices, ...graph].map((file) => ({ path: file.path, bytes: file.bytes, from: file }));
    return { files: chosen, bytes: sum(chosen), licence, revision };
  }
  if (embedder !== null || (/\.onnx$/i.test(first) && basename(dirname(first)) === 'onnx'))
    return embedderOffer(files, first, { licence, revision });
  const folder = dirname(first);
  const small = wanted.filter(
    ({ path, bytes }) =>
      dirname(path) === folder && isSmallFile(path) && !WEIGHTS.test(path) && bytes <= LARGEST_SMALL_FILE,
  );
  const chosen = [...small, ...weights].map((file) => ({
    path: basename(file.path),
    bytes: file.bytes,
    from: file,
  }));
  return { files: chosen, bytes: sum(chosen), licence, revision };
}

function embedderOffer(
  files: readonly HubFile[],
  graph: string,
  { licence, revision }: Pick<Offer, 'licence' | 'revision'>,
): Offer {
  const names = EMBEDDER_FILES.map((name) => join(rootOfGraph(graph), name));
  const chosen = files
    .filter(({ path, bytes }) => path === graph || (names.includes(path) && bytes <= LARGEST_SMALL_FILE))
    .sort((one, other) => Number(one.path === graph) - Number(other.path === graph))
    .map((file) => ({ path: relative(rootOfGraph(graph), file.path), bytes: file.bytes, from: file }));
  return { files: chosen, bytes: sum(chosen), licence, revision };
}

function moonshineOffer(
  files: readonly HubFile[],
  graphs: readonly string[],
  { licence, revision }: Pick<Offer, 'licence' | 'revision'>,
): Offer {
  const paths = files.map(({ path }) => path);
  const companions = companionsOf(graphs, (path) => paths.includes(path));
  const tokens = companions.some(isTokenizer) ? undefined : tokenizerElsewhere(paths);
  const names = [...companions, ...(tokens === undefined ? [] : [tokens]), ...graphs];
  const chosen = names.flatMap((name) =>
    files
      .filter(({ path, bytes }) => path === name && (graphs.includes(path) || bytes <= LARGEST_SMALL_FILE))
      .map((file) => ({ path: basename(file.path), bytes: file.bytes, from: file })),
  );
  return { files: chosen, bytes: sum(chosen), licence, revision };
}

function weightsOrTensors<File extends { readonly path: string }>(files: readonly File[]): readonly File[] {
  const weights = files.filter(({ path }) => WEIGHTS.test(path));
  return weights.length > 0 ? weights : files.filter(({ path }) => TENSOR.test(path));
}

/** Chooses safetensors, whole or in parts, where the repository has the weights in several forms. */
function oneForm<File extends { readonly path: string }>(weights: readonly File[]): readonly File[] {
  const whole = weights.filter(({ path }) => path === 'model.safetensors');
  const parts = weights.filter(({ path }) => PART.test(path));
  return whole.length > 0 ? whole : parts.length > 0 ? parts : weights;
}

const isSmallFile = (path: string): boolean => SMALL_FILES.test(path);
const sum = (files: readonly { bytes: number }[]): number => files.reduce((all, { bytes }) => all + bytes, 0);

export function licenceIn(path: string): string | null {
  if (!/^(MODEL_CARD|README\.md)$/i.test(basename(path))) return null;
  return LICENCE_LINE.exec(readFileSync(path, 'utf8'))?.[1] ?? null;
}

function checkFreeSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  // The files take their size twice: as they arrived, and as they are served.
  const needed = 2 * bytes + DISK_RESERVE;
  if (bavail * bsize >= needed) return;
  throw new AddedModelError(
    `the disk of ${folder} has ${megabytes(bavail * bsize)} free, but the model needs ${megabytes(needed)}`,
  );
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

function place(from: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  // An addition that was killed may have left an older file there.
  rmSync(target, { force: true });
  try {
    linkSync(from, target);
  } catch {
    copyFileSync(from, target);
  }
}

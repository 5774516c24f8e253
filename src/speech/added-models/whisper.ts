import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { AddedModelError } from './errors.ts';
import { type FileKind, kindOfFile, whyUseless } from './kind.ts';
import { MODEL_NAME, slug, type WhisperFacts } from './lock.ts';

export interface WhisperFiles {
  /** The weights, the settings and the tokens, as they arrived. */
  readonly paths: readonly string[];
  readonly format: string;
  readonly name: string;
}

const FORMATS: Partial<Record<FileKind, string>> = {
  safetensors: 'transformers',
  ctranslate2: 'CTranslate2',
  ggml: 'whisper.cpp',
};
const SETTINGS: readonly FileKind[] = ['json', 'text'];

/** Returns null where there are no weights of a form in which Whisper is published. */
export function whisperIn(paths: readonly string[], source: string): WhisperFiles | null {
  const kinds = paths.map((path) => ({ path, kind: kindOfFile(path) }));
  const weights = kinds.filter(({ kind }) => kind in FORMATS);
  const [first] = weights;
  if (first === undefined) return null;
  const others = new Set(weights.map(({ kind }) => kind));
  if (others.size > 1 || (first.kind !== 'safetensors' && weights.length > 1))
    throw new AddedModelError(
      `there are ${weights.length} models (${weights.map(({ path }) => basename(path)).join(', ')}): give the file of one`,
    );
  const settings = kinds.filter(({ kind }) => SETTINGS.includes(kind));
  for (const { path, kind } of [...weights, ...settings]) {
    const why = whyUseless(path, kind);
    if (why !== null) throw new AddedModelError(`${basename(path)}: ${why}`);
  }
  return {
    paths: [...weights, ...settings].map(({ path }) => path),
    format: FORMATS[first.kind] ?? first.kind,
    name: nameOf(source, first.path),
  };
}

/** A file of whisper.cpp has the size in its name; the other formats are folders and repositories of that name. */
function nameOf(source: string, weights: string): string {
  const stem = basename(weights).replace(/\.[^.]+$/, '');
  const [repository = source] = source.replace(/^hf:/, '').split(/[@:](?!\/\/)/);
  const folder = basename(/\.(bin|safetensors)$/i.test(repository) ? dirname(repository) : repository);
  const name = slug(/^ggml[-_]/i.test(stem) ? stem.replace(/^ggml[-_]/i, 'whisper_') : folder);
  return MODEL_NAME.test(name) ? name : 'whisper';
}

const Facts = Type.Object({
  format: Type.String(),
  bands: Type.Integer(),
  encoder_layers: Type.Integer(),
  layers: Type.Integer(),
  heads: Type.Integer(),
  width: Type.Integer(),
  vocabulary: Type.Integer(),
  english_only: Type.Boolean(),
});

/** The recipe writes what it read of the weights. */
export function whisperFacts(folder: string): WhisperFacts {
  const { encoder_layers, english_only, ...facts } = Value.Parse(
    Facts,
    JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8')),
  );
  return { ...facts, encoderLayers: encoder_layers, englishOnly: english_only };
}

const SIZES: Readonly<Record<number, string>> = {
  384: 'tiny',
  512: 'base',
  768: 'small',
  1024: 'medium',
  1280: 'large',
};
const TURBO_LAYERS = 4;

function sizeOf({ width, layers, encoderLayers, bands }: WhisperFacts): string {
  const size = SIZES[width] ?? `of width ${width}`;
  const named = size === 'large' && bands === 128 ? 'large-v3' : size;
  if (layers === encoderLayers) return named;
  return named === 'large-v3' && layers === TURBO_LAYERS ? 'large-v3-turbo' : `${named}, distilled`;
}

export const titleOfWhisper = (facts: WhisperFacts): string =>
  `Whisper ${sizeOf(facts)}, ${facts.englishOnly ? 'English alone' : 'multilingual'}, ${facts.bands} mel bands, ${facts.encoderLayers} + ${facts.layers} layers`;

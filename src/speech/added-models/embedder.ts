import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { AddedModelError } from './errors.ts';
import { kindOfFile, whyUseless } from './kind.ts';
import { type EmbedderFacts, MODEL_NAME, slug } from './lock.ts';
import { onnxInputs } from './onnx-names.ts';
import { modelType } from './unserved.ts';

export interface EmbedderFiles {
  readonly graph: string;
  readonly inputs: readonly { readonly from: string; readonly as: string }[];
  readonly name: string;
}

/** The files beside a graph, as sentence-transformers names them, and the names that the recipe reads. */
const COMPANIONS: Readonly<Record<string, string>> = {
  'config.json': 'config.json',
  'tokenizer.json': 'tokenizer.json',
  'tokenizer_config.json': 'tokenizer_config.json',
  'modules.json': 'modules.json',
  'sentence_bert_config.json': 'sentence_bert_config.json',
  'config_sentence_transformers.json': 'config_sentence_transformers.json',
  '1_Pooling/config.json': 'pooling.json',
};
const CARDS = ['README.md', 'MODEL_CARD'];
export const EMBEDDER_FILES = [...Object.keys(COMPANIONS), ...CARDS];
const GRAPHS = ['model.onnx', 'onnx/model.onnx'];
const ENCODERS =
  /^(bert|roberta|xlm-roberta|mpnet|distilbert|camembert|nomic_bert|new|modernbert|deberta-v2|electra|t5)$/;

/** Hubs keep graphs in a folder of their own, and the settings of all forms of a model beside that folder. */
export const rootOfGraph = (graph: string): string =>
  basename(dirname(graph)) === 'onnx' ? dirname(dirname(graph)) : dirname(graph);

/** Returns the graph of a folder that embeds texts, and null where there is none of the usual name. */
export function embedderOfFolder(folder: string): string | null {
  const graphs = GRAPHS.map((name) => join(folder, name)).filter((path) => existsSync(path));
  return graphs.find(embedsTexts) ?? null;
}

/** Returns the graph of a repository of sentence-transformers, whose weights it may have in other forms too. */
export function embedderOfRepository(paths: readonly string[]): string | null {
  const isOne = ['modules.json', '1_Pooling/config.json', 'config_sentence_transformers.json'].some((name) =>
    paths.includes(name),
  );
  return (isOne && GRAPHS.find((name) => paths.includes(name))) || null;
}

export const companionsOfGraph = (graph: string): string[] =>
  EMBEDDER_FILES.map((name) => join(rootOfGraph(graph), name)).filter((path) => existsSync(path));

export function embedsTexts(path: string): boolean {
  if (kindOfFile(path) !== 'onnx') return false;
  const inputs = onnxInputs(path);
  const isOther = inputs.includes('style') || inputs.includes('encoder_hidden_states');
  return inputs.includes('input_ids') && inputs.includes('attention_mask') && !isOther;
}

/** Returns null where the files are of no encoder of texts. */
export function embedderIn(paths: readonly string[], source: string): EmbedderFiles | null {
  const graphs = paths.filter(embedsTexts);
  const [graph] = graphs;
  if (graph === undefined) {
    const encoder = paths.find((path) => kindOfFile(path) === 'json' && ENCODERS.test(modelType(path)));
    if (encoder === undefined) return null;
    for (const path of paths) {
      const why = whyUseless(path, kindOfFile(path));
      if (why !== null) throw new AddedModelError(`${basename(path)}: ${why}`);
    }
    throw new AddedModelError(
      'it is an embedding model without a whole ONNX graph: add the form of it that has onnx/model.onnx, or export it (optimum-cli export onnx)',
    );
  }
  if (graphs.length > 1)
    throw new AddedModelError(
      `there are ${graphs.length} graphs (${graphs.map((path) => basename(path)).join(', ')}): give the file of one`,
    );
  const root = rootOfGraph(graph);
  const companions = Object.entries(COMPANIONS)
    .map(([name, as]) => ({ from: join(root, name), as }))
    .filter(({ from }) => paths.includes(from));
  for (const { from } of companions) {
    const why = whyUseless(from, kindOfFile(from));
    if (why !== null) throw new AddedModelError(`${basename(from)}: ${why}`);
  }
  return { graph, inputs: [{ from: graph, as: 'model.onnx' }, ...companions], name: nameOf(source) };
}

function nameOf(source: string): string {
  const [repository = source] = source.replace(/^hf:/, '').split(/[@:](?!\/\/)/);
  const root = /\.onnx$/i.test(repository) ? rootOfGraph(repository) : repository;
  const name = slug(basename(root));
  return MODEL_NAME.test(name) ? name : 'embedding_model';
}

const Facts = Type.Object({
  architecture: Type.String(),
  tokenizer: Type.Enum(['word_pieces', 'unigram']),
  tokens: Type.Integer(),
  size: Type.Integer(),
  pooling: Type.Enum(['mean', 'first', 'graph']),
  query: Type.String(),
  passage: Type.String(),
});

/** The recipe writes what it read of the files. */
export const embedderFacts = (folder: string): EmbedderFacts =>
  Value.Parse(Facts, JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8')));

export const titleOfEmbedder = ({ architecture, size, tokenizer }: EmbedderFacts): string =>
  `embedding model (${architecture}, ${tokenizer === 'unigram' ? 'Unigram' : 'WordPiece'}), vectors of ${size} numbers`;

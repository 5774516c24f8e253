import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { AddedModelError } from './errors.ts';
import { kindOfFile } from './kind.ts';
import { type EncoderFacts, MODEL_NAME, slug } from './lock.ts';
import { onnxInputs, onnxOutputs } from './onnx-names.ts';

export interface EncoderFiles {
  readonly graph: string;
  readonly name: string;
}

/** The inputs of graphs of WeSpeaker, 3D-Speaker and NeMo, whose outputs have other names where others exported them. */
const FEATURES = ['feats', 'fbank', 'mel_window'];
const VECTORS = ['embs', 'embedding', 'embeddings'];
const OTHERS = ['style', 'input_ids', 'input_values', 'encoder_hidden_states'];

export function isSpeakerGraph(path: string): boolean {
  if (kindOfFile(path) !== 'onnx') return false;
  const inputs = onnxInputs(path);
  if (OTHERS.some((name) => inputs.includes(name))) return false;
  return (
    FEATURES.some((name) => inputs.includes(name)) || onnxOutputs(path).some((name) => VECTORS.includes(name))
  );
}

/** Returns null where no file is the graph of a speaker encoder. */
export function speakersIn(paths: readonly string[], source: string): EncoderFiles | null {
  const graphs = paths.filter(isSpeakerGraph);
  const [graph] = graphs;
  if (graph === undefined) return null;
  if (graphs.length > 1)
    throw new AddedModelError(
      `there are ${graphs.length} graphs (${graphs.map((path) => basename(path)).join(', ')}): give the file of one`,
    );
  return { graph, name: nameOf(source, graph) };
}

/** A graph of a usual name is called by its folder or repository. */
function nameOf(source: string, graph: string): string {
  const stem = basename(graph).replace(/\.[^.]+$/, '');
  const [repository = source] = source.replace(/^hf:/, '').split(/[@:](?!\/\/)/);
  const folder = basename(/\.onnx$/i.test(repository) ? dirname(repository) : repository);
  const name = slug(/^(model|encoder|embedding|speaker)$/i.test(stem) ? folder : stem);
  return MODEL_NAME.test(name) ? name : 'speaker_encoder';
}

const Facts = Type.Object({ size: Type.Integer(), window: Type.Enum(['povey', 'hamming']) });

/** The recipe writes what it read of the graph. */
export const encoderFacts = (folder: string): EncoderFacts =>
  Value.Parse(Facts, JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8')));

export const titleOfEncoder = ({ size }: EncoderFacts): string =>
  `speaker encoder, vectors of ${size} numbers`;

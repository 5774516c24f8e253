/** Tells models that are known and not served from files that are no model, so that an owner knows what is missing. */
import { readFileSync } from 'node:fs';
import { type FileKind, kindOfFile } from './kind.ts';
import { onnxInputs } from './onnx-names.ts';

const SPEAKERS =
  'a speaker encoder that is not an ONNX graph of mel bands, which is not served: add the ONNX form of WeSpeaker, 3D-Speaker or another of 80 bands';
const MOONSHINE_FORMS =
  'encoder_model.onnx and decoder_model_merged.onnx with tokenizer.json, the two as .ort with tokenizer.bin, or model.safetensors';
const MOONSHINE = `a Moonshine that is not served in this form: give ${MOONSHINE_FORMS}`;
const STREAMING_MOONSHINE = 'a streaming Moonshine, which is another network and is not served';
const OTHER_RECOGNIZER = 'a recognizer of another kind than Whisper, which is not served';
const WHISPER_FORMS = 'give a Whisper as safetensors, CTranslate2 or ggml';
const WHISPER_GRAPH = `a Whisper as ONNX graphs, which is not served in this form: ${WHISPER_FORMS}`;
const FEATURES_GRAPH = `the encoder of a Whisper as an ONNX graph, which is not served in this form: ${WHISPER_FORMS}`;
const DECODER_GRAPH = `the decoder of a Whisper, a Moonshine or a translator as an ONNX graph, and none is served from one alone: ${WHISPER_FORMS}; of a Moonshine, give ${MOONSHINE_FORMS}`;
const SAMPLES_GRAPH = `the encoder of a Moonshine, a wav2vec 2 or another network that reads samples, and none is served from it alone: of a Moonshine, give ${MOONSHINE_FORMS}`;
const RUNTIME_GRAPH = `a graph in ONNX Runtime's own form, of which a Moonshine alone is served: give ${MOONSHINE_FORMS}`;
const LANGUAGE_MODEL =
  'a language model, which is served as GGUF alone: give a file of that form, or convert it with llama.cpp';

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^(ecapa|wespeaker|campplus|titanet)/, SPEAKERS],
  [/^(wavlm|wav2vec2|unispeech|hubert|parakeet|seamless|speech_to_text)/, OTHER_RECOGNIZER],
  [/^moonshine_streaming/, STREAMING_MOONSHINE],
  [/^moonshine/, MOONSHINE],
  [/^(llama|mistral|mixtral|qwen|gemma|phi|gpt|falcon|smollm|olmo|granite|deepseek)/, LANGUAGE_MODEL],
];
/** The settings say more than a graph, whose inputs several kinds share. Returns null for files of none of these kinds. */
export function unserved(paths: readonly string[]): string | null {
  const files = paths.map((path) => ({ path, kind: kindOfFile(path) }));
  const graphs = files.filter(({ kind }) => kind === 'onnx' || kind === 'ort');
  const settings = files.filter(({ kind }) => kind === 'json').map(({ path }) => ofSettings(path));
  const known = settings.find((found) => found !== null);
  if (known !== undefined) return known;
  const isWhisper = files.some(({ path, kind }) => kind === 'json' && modelType(path) === 'whisper');
  if (isWhisper && graphs.length > 0 && !files.some(({ kind }) => isWhisperForm(kind))) return WHISPER_GRAPH;
  return graphs.map(ofGraph).find((found) => found !== null) ?? null;
}

const isWhisperForm = (kind: FileKind): boolean => ['safetensors', 'ctranslate2', 'ggml'].includes(kind);

function ofSettings(path: string): string | null {
  const type = modelType(path);
  // The same networks tell speakers and write words; the last layer has the name of the task.
  if (/"\w*ForXVector"/.test(readFileSync(path, 'utf8'))) return SPEAKERS;
  return TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? null;
}

export function modelType(path: string): string {
  try {
    const { model_type: type } = JSON.parse(readFileSync(path, 'utf8')) as { model_type?: unknown };
    return typeof type === 'string' ? type.toLowerCase() : '';
  } catch {
    return '';
  }
}

function ofGraph({ path, kind }: { readonly path: string; readonly kind: FileKind }): string | null {
  if (kind === 'ort') return RUNTIME_GRAPH;
  const inputs = onnxInputs(path);
  const takes = (...names: string[]) => names.some((name) => inputs.includes(name));
  if (takes('encoder_hidden_states')) return DECODER_GRAPH;
  if (takes('input_values')) return SAMPLES_GRAPH;
  return takes('input_features') ? FEATURES_GRAPH : null;
}

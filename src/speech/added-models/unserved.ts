/** Tells models that are known and not served from files that are no model, so that an owner knows what is missing. */
import { readFileSync } from 'node:fs';
import { type FileKind, kindOfFile } from './kind.ts';
import { onnxInputs } from './onnx-inputs.ts';

const SPEAKERS =
  'a speaker encoder, which is not served yet: the bounds between speakers are measured for the one that comes with the product';
const KOKORO =
  'a Kokoro voice model, which is not served yet: our Kokoro runs in a generator of its own, which is made of the pinned weights alone';
const MOONSHINE =
  'a Moonshine, which is not served yet: partials are made by the pinned one, whose tokens the engine knows';
const LANGUAGE_MODEL =
  'a language model, which is served as GGUF alone: give a file of that form, or convert it with llama.cpp';

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^(wavlm|wav2vec2|unispeech-sat|ecapa)/, SPEAKERS],
  [/^moonshine/, MOONSHINE],
  [/^(llama|mistral|mixtral|qwen|gemma|phi|gpt|falcon|smollm|olmo|granite|deepseek)/, LANGUAGE_MODEL],
];
/** Returns null for files of none of these kinds. */
export function unserved(paths: readonly string[]): string | null {
  for (const path of paths) {
    const found = whatIs(path, kindOfFile(path));
    if (found !== null) return found;
  }
  return null;
}

function whatIs(path: string, kind: FileKind): string | null {
  switch (kind) {
    case 'json':
      return ofType(path);
    case 'ort':
      return MOONSHINE;
    case 'onnx':
      return ofInputs(new Set(onnxInputs(path)));
    default:
      return null;
  }
}

function ofType(path: string): string | null {
  const type = modelType(path);
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

function ofInputs(inputs: ReadonlySet<string>): string | null {
  if (inputs.has('style') && inputs.has('speed')) return KOKORO;
  if (inputs.has('encoder_hidden_states') || inputs.has('input_values')) return MOONSHINE;
  if (['feats', 'fbank', 'mel_window', 'input_features'].some((name) => inputs.has(name))) return SPEAKERS;
  return null;
}

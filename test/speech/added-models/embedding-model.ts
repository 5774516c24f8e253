import { dirname, join } from 'node:path';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { python } from './whisper-weights.ts';

const FILES = {
  minilm: 'minilm-l6/model.onnx',
  wide: 'minilm-l6/model.onnx',
  e5: 'e5-small/model.onnx',
  random: 'minilm-l6/model.onnx',
  infinite: 'minilm-l6/model.onnx',
};

/** Lays out a bundled embedding model, another size of it or a random one, as hubs have it. */
export async function embeddingModel(folder: string, kind: keyof typeof FILES): Promise<string> {
  const bundled = dirname(new Models().path(FILES[kind]));
  await python(join(import.meta.dirname, 'embedding_model.py'), kind, bundled, folder);
  return folder;
}

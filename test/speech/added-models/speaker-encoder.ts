import { join } from 'node:path';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { python } from './whisper-weights.ts';

/** Lays the bundled speaker encoder out as others publish theirs; the program lists the kinds. */
export async function speakerEncoder(path: string, kind: string): Promise<string> {
  const bundled = new Models().path('speakers/embedding.onnx');
  await python(join(import.meta.dirname, 'speaker_encoder.py'), kind, bundled, path);
  return path;
}

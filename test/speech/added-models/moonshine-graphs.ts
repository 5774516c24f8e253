import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { PROJECT_ROOT } from '../../../src/foundation/platform/project-root.ts';
import { python } from './whisper-weights.ts';

interface Runtime {
  readonly InferenceSession: {
    create(path: string, options: object): Promise<{ release(): Promise<void> }>;
  };
}

const PROGRAM = join(import.meta.dirname, 'moonshine_graphs.py');
const GRAPHS = ['encoder', 'decoder'] as const;

/** Returns the folder of the pinned Moonshine as the Python package has it: graphs in the runtime's own form. */
const pinned = (): string => dirname(new Models().path('moonshine-tiny-en/encoder.ort'));

/** Copies the pinned Moonshine with the names that its package gives the files. */
export function moonshineOrt(folder: string): string {
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(pinned(), 'encoder.ort'), join(folder, 'encoder_model.ort'));
  copyFileSync(join(pinned(), 'decoder.ort'), join(folder, 'decoder_model_merged.ort'));
  copyFileSync(join(pinned(), 'tokenizer.bin'), join(folder, 'tokenizer.bin'));
  return folder;
}

/**
 * Lays out a Moonshine as hubs have it: its graphs in `onnx`, with config.json and tokenizer.json. The graphs of `tiny` are
 * the pinned ones as ONNX; those of `base` have random weights.
 */
export async function moonshineHub(folder: string, kind: string): Promise<string> {
  await python(PROGRAM, await plainGraphs(), pinned(), folder, kind);
  return folder;
}

/** The runtime writes the graphs that it reads from its own form as ONNX. */
async function plainGraphs(): Promise<string> {
  const folder = join(PROJECT_ROOT, 'build-test/moonshine-onnx');
  if (existsSync(folder)) return folder;
  const { InferenceSession } = createRequire(import.meta.url)('onnxruntime-node') as Runtime;
  const arriving = `${folder}.${process.pid}`;
  mkdirSync(arriving, { recursive: true });
  for (const graph of GRAPHS) {
    const session = await InferenceSession.create(join(pinned(), `${graph}.ort`), {
      optimizedModelFilePath: join(arriving, `${graph}.onnx`),
      graphOptimizationLevel: 'disabled',
      logSeverityLevel: 3,
    });
    await session.release();
  }
  try {
    renameSync(arriving, folder);
  } catch (error) {
    rmSync(arriving, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

export const convertMoonshine = (from: string, to: string): Promise<void> =>
  python(join(PROJECT_ROOT, 'models/recipes/moonshine/added.py'), from, to);

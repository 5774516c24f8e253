/**
 * Recipes turn published weights into the graphs that the engine reads. A recipe is a Python program:
 *
 *     models/recipes/NAME.py IN OUT
 *
 * IN holds its inputs and OUT takes its outputs, both under their manifest paths. It runs with the packages of
 * models/recipes/requirements.txt, installed for it alone, with one thread and a fixed hash seed: the same input
 * gives the same bytes, and the manifest pins them.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../setup/failure.mjs';
import { run, tail } from '../setup/run.mjs';
import { projectRoot } from './layout.mjs';
import { MEND } from './packages.mjs';
import { hashFile } from './stamps.mjs';

const REQUIREMENTS = join(projectRoot, 'models/recipes/requirements.txt');

/** The packages are installed on first use, from wheels in the folder `from` if it is set. */
export async function recipePackages(root, log, { from, requirements = REQUIREMENTS } = {}) {
  const python = await run('python3', ['-c', 'import sys; print(sys.version_info[:2])']);
  const key = createHash('sha256')
    .update(readFileSync(requirements))
    .update(python.stdout)
    .digest('hex')
    .slice(0, 12);
  const folder = join(root, '.python', key);
  if (existsSync(folder)) return folder;
  log('models: installing the packages that convert weights (numpy, onnx)');
  const arriving = `${folder}.arriving`;
  rmSync(arriving, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  const args = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-input',
    '--disable-pip-version-check',
    '--no-cache-dir',
  ];
  const result = await run('python3', [
    ...args,
    '--only-binary=:all:',
    '--target',
    arriving,
    ...(from ? ['--no-index', '--find-links', from] : []),
    '-r',
    requirements,
  ]);
  if (result.code !== 0) {
    throw new Failure(
      `the packages that convert weights cannot be installed:\n${tail(result.stderr, 4)}`,
      from ? `pip download -r models/recipes/requirements.txt --only-binary=:all: -d ${from}` : MEND,
    );
  }
  renameSync(arriving, folder);
  return folder;
}

export async function runRecipe({ recipe, inputs, work, packages, log }) {
  const from = join(work, 'in');
  const to = join(work, 'out');
  mkdirSync(to, { recursive: true });
  for (const { path, file } of inputs) place(file, join(from, path));
  log(`models: running ${recipe.script}`);
  const env = { PYTHONPATH: packages, PYTHONHASHSEED: '0', OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' };
  env.PYTHONDONTWRITEBYTECODE = '1';
  const onLine = (line) => log(`models:   ${line}`);
  const result = await run('python3', [join(projectRoot, recipe.script), from, to], { env, onLine });
  if (result.code !== 0) throw new Failure(`${recipe.script} failed:\n${tail(result.stderr)}`, MEND);
  return to;
}

export async function recipeOutput(file, folder, pin) {
  const path = join(folder, file.path);
  if (!existsSync(path)) throw new Failure(`${file.recipe} did not write ${file.path}`);
  const sha256 = await hashFile(path);
  if (pin) {
    file.sha256 = sha256;
    file.bytes = statSync(path).size;
  } else if (sha256 !== file.sha256) {
    throw new Failure(
      `${file.recipe} wrote other bytes for ${file.path} than were pinned: expected sha256 ${file.sha256}, received ${sha256}`,
      `node scripts/fetch-models.mjs --pin ${file.path.split('/')[0]}   # only if the recipe was changed on purpose`,
    );
  }
  return path;
}

function place(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(from, to);
  } catch {
    symlinkSync(from, to); // The link fails across file systems.
  }
}

#!/usr/bin/env node
/**
 * Runs one recipe on the files of a model that an operator adds. Usage:
 *
 *   node scripts/convert-model.mjs RECIPE IN OUT [OPTION…] --root FOLDER [--from FOLDER]
 *
 * RECIPE is a program below models/recipes, which takes the others. A file that the recipe can't use ends with status 2 and one line that says why.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from './models/layout.mjs';
import { recipePackages } from './models/recipes.mjs';
import { Failure, runMain } from './setup/failure.mjs';
import { run, tail } from './setup/run.mjs';

const UNUSABLE = 2;

async function main() {
  const { values, positionals } = parseArgs({
    options: { root: { type: 'string' }, from: { type: 'string' } },
    allowPositionals: true,
  });
  const [recipe, ...args] = positionals;
  if ((await run('python3', ['--version'])).missing)
    throw new Failure('python3 is missing: it converts the model', 'apt-get install -y python3 python3-pip');
  const log = (line) => console.error(line);
  const packages = await recipePackages(resolve(values.root), log, values.from ? { from: values.from } : {});
  const env = { PYTHONPATH: packages, PYTHONHASHSEED: '0', PYTHONDONTWRITEBYTECODE: '1' };
  env.OMP_NUM_THREADS = '1';
  env.OPENBLAS_NUM_THREADS = '1';
  const program = join(projectRoot, 'models/recipes', recipe);
  const { code, stderr } = await run('python3', [program, ...args], { env });
  if (code === UNUSABLE) {
    console.error(tail(stderr, 1));
    return UNUSABLE;
  }
  if (code !== 0) throw new Failure(`${recipe} failed:\n${tail(stderr)}`);
  return 0;
}

await runMain(main);

#!/usr/bin/env node
/**
 * Trains models/recipes/listening/learnt.bin again: the networks that distinguish a backchannel from a barge-in. With
 * --elsewhere it trains elsewhere.bin, which languages other than English use as well.
 *
 *   node scripts/learn-listening.mjs [--clips FOLDER] [--rows FILE] [--elsewhere] [--learn-only] [--sample N] [--out FILE]
 *
 * models/recipes/listening/README.md describes the steps and their times. --clips takes the audio from a folder, --rows
 * caches the encoders' output for the next run, and --learn-only skips the comparison by which settings were chosen.
 * --sample N runs every step with N phrases of each language and as many recordings of each kind. Its result is written
 * to --out and not shipped.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultRoot, modelFolder, readManifest } from './models/layout.mjs';
import { recipePackages } from './models/recipes.mjs';
import { Failure, runMain } from './setup/failure.mjs';
import { run, tail } from './setup/run.mjs';
import { root, setUp } from './setup.mjs';

const FOLDER = join(root, 'models/recipes/listening');
const SHIPPED = { first: join(FOLDER, 'learnt.bin'), elsewhere: join(FOLDER, 'elsewhere.bin') };
const log = (line) => console.log(line);

async function carryOut(command, args, env = {}) {
  const done = await run(command, args, { cwd: root, env, onLine: log });
  if (done.code !== 0) throw new Failure(`${command} ${args[0]} failed:\n${tail(done.stderr)}`);
}

async function timed(what, step) {
  const began = performance.now();
  const done = await step();
  log(`learn-listening: ${what} took ${Math.round((performance.now() - began) / 1000)} s`);
  return done;
}

function encoder(manifest, path) {
  const model = manifest.models.find(({ id }) => path.startsWith(`${id}/`));
  return join(modelFolder(defaultRoot(), model), path.slice(model.id.length + 1));
}

const OPTIONS = {
  clips: { type: 'string' },
  rows: { type: 'string' },
  'learn-only': { type: 'boolean', default: false },
  elsewhere: { type: 'boolean', default: false },
  sample: { type: 'string' },
  out: { type: 'string' },
};

function options() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    if (values.sample !== undefined && !/^[1-9]\d*$/.test(values.sample))
      throw new Error(`--sample: expected a number of sounds, received ${values.sample}`);
    return values;
  } catch (error) {
    throw new Failure(error.message);
  }
}

async function clipsOf({ clips, elsewhere, sample }) {
  if (clips !== undefined) return resolve(clips);
  const folder = join(root, 'build-bench', sample === undefined ? 'omni-clips' : `omni-clips-${sample}`);
  await carryOut('npm', [
    'run',
    'bench',
    '--',
    'omni/learn-from.ts',
    folder,
    ...(sample === undefined ? [] : [sample]),
    ...(elsewhere ? ['--elsewhere'] : []),
  ]);
  return folder;
}

async function learn(values, clips, out) {
  const manifest = readManifest();
  const packages = await recipePackages(defaultRoot(), log, {
    requirements: join(FOLDER, 'requirements.txt'),
  });
  const args = [
    join(FOLDER, 'learn.py'),
    clips,
    encoder(manifest, 'moonshine-tiny-en/encoder.ort'),
    encoder(manifest, 'whisper-base/encoder.onnx'),
    out,
    ...(values.rows ? ['--rows', resolve(values.rows)] : []),
    ...(values['learn-only'] ? ['--learn-only'] : []),
    ...(values.elsewhere ? ['--elsewhere'] : []),
  ];
  const env = { PYTHONPATH: packages, PYTHONHASHSEED: '0', PYTHONDONTWRITEBYTECODE: '1' };
  await carryOut('python3', args, env);
}

async function ship() {
  await carryOut('node', ['scripts/fetch-models.mjs', '--pin', 'listening']);
  await carryOut('npx', ['biome', 'check', '--write', 'models/manifest.json']);
}

await runMain(async () => {
  const values = options();
  const sampled = join(root, 'build-bench', `listening-${values.sample}.bin`);
  const shipped = values.elsewhere ? SHIPPED.elsewhere : SHIPPED.first;
  const out = resolve(values.out ?? (values.sample === undefined ? shipped : sampled));
  await setUp({ log });
  const clips = await timed('sounds', () => clipsOf(values));
  await timed('learning', () => learn(values, clips, out));
  if (out === shipped) await ship();
  log(`learn-listening: wrote ${out}`);
});

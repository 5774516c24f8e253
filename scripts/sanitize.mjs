#!/usr/bin/env node
/**
 * Runs the native tests with AddressSanitizer and UndefinedBehaviorSanitizer, with ThreadSanitizer, and the fuzz targets.
 *
 *   node scripts/sanitize.mjs [--short] [--build] [--only address|thread|fuzz] [--seconds N] [--jobs N]
 *
 * --short is the form of `npm test`: at most four of the modules that changed since this work left the main branch, or
 * since the last release, and a few seconds for each of their fuzz targets. Where the history does not tell, it runs the
 * modules on the boundary to JavaScript.
 * --build builds the programs and runs none.
 * The last line is `N passed, N failed`, which counts test programs.
 */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { modelVersions } from './models/layout.mjs';
import { changedPrograms, shortForm } from './native/changed-modules.mjs';
import { requireRuntime } from './native/sanitizer-runtime.mjs';
import { Failure, runMain } from './setup/failure.mjs';
import { run, tail } from './setup/run.mjs';
import { LONG_FORM } from './tests/native-some.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const MODELS = modelVersions();

// All that threads and JavaScript share.
const BOUNDARY = ['test_base', 'test_onnx', 'test_engine', 'test_rtp'];
// Programs that open models take minutes with a sanitizer: the short form runs one of so many of their tests.
const ONE_OF = 24;

const RUNS = {
  address: {
    compiler: 'g++',
    sanitizers: 'address,undefined',
    flags: ['-DTRUNKLINE_TESTS=ON', '-DTRUNKLINE_SANITIZE=address'],
    env: {
      ASAN_OPTIONS: 'detect_leaks=1:abort_on_error=1',
      LSAN_OPTIONS: `print_suppressions=0:suppressions=${join(root, 'native/test/lsan.supp')}`,
      UBSAN_OPTIONS: 'print_stacktrace=1:halt_on_error=1',
    },
  },
  thread: {
    compiler: 'g++',
    sanitizers: 'thread',
    flags: ['-DTRUNKLINE_TESTS=ON', '-DTRUNKLINE_SANITIZE=thread'],
    env: { TSAN_OPTIONS: `halt_on_error=1:suppressions=${join(root, 'native/test/tsan.supp')}` },
  },
  fuzz: {
    compiler: 'clang++',
    sanitizers: 'fuzzer,address,undefined',
    flags: ['-DTRUNKLINE_FUZZ=ON', '-DTRUNKLINE_SANITIZE=address'],
    env: {},
  },
};

async function build(name, { compiler, sanitizers, flags }, targets, jobs) {
  await requireRuntime(compiler, sanitizers);
  const folder = join(root, `build-sanitize-${name}`);
  const ninja = (await run('ninja', ['--version'])).missing ? [] : ['-G', 'Ninja'];
  const configure = ['-S', join(root, 'native'), '-B', folder, ...ninja, '-DTRUNKLINE_ADDON=OFF', ...flags];
  const steps = [
    [
      ...configure,
      '-DCMAKE_BUILD_TYPE=RelWithDebInfo',
      '-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1',
      `-DCMAKE_CXX_COMPILER=${compiler}`,
    ],
    ['--build', folder, '-j', String(jobs), ...(targets ? ['--target', ...targets] : [])],
  ];
  for (const step of steps) {
    const done = await run('cmake', step);
    if (done.code !== 0)
      throw new Failure(`the ${name} build failed:\n\n${tail(done.stdout + done.stderr, 30)}`);
  }
  return folder;
}

async function carryOut(label, command, args, env, totals) {
  const done = await run(command, args, { cwd: root, env: { ...MODELS, ...env } });
  const passed = done.code === 0;
  totals[passed ? 'passed' : 'failed'] += 1;
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${label}`);
  if (!passed) console.log(tail(done.stdout + done.stderr, 60));
}

async function sanitizedTests(name, options, totals) {
  const plan = RUNS[name];
  const folder = await build(name, plan, options.programs, options.jobs);
  if (options.isBuild) return;
  const programs = readdirSync(folder).filter((file) => /^test_[a-z]+$/.test(file));
  for (const program of options.programs ?? programs) {
    const some = options.short && !BOUNDARY.includes(program);
    const env = some ? { ...plan.env, GTEST_TOTAL_SHARDS: String(ONE_OF), GTEST_SHARD_INDEX: '0' } : plan.env;
    const args = ['--gtest_brief=1', ...(options.short ? [`--gtest_filter=-*.${LONG_FORM}*`] : [])];
    await carryOut(`${name}: ${program}`, join(folder, program), args, env, totals);
  }
}

async function fuzz(options, totals) {
  const all = readdirSync(join(root, 'native/test/fuzz'))
    .filter((file) => file.endsWith('.cc'))
    .map((file) => file.replace(/\.cc$/, ''));
  const names = options.programs
    ? all.filter((name) => options.programs.includes(`test_${name.replace(/_.*/, '')}`))
    : all;
  if (names.length === 0) return;
  const folder = await build(
    'fuzz',
    RUNS.fuzz,
    names.map((name) => `fuzz_${name}`),
    options.jobs,
  );
  for (const name of options.isBuild ? [] : names) {
    const found = join(folder, 'corpus', name);
    mkdirSync(found, { recursive: true });
    const seeds = join(root, 'native/test/vectors/fuzz', name);
    const args = [`-max_total_time=${options.seconds}`, '-max_len=8192', '-timeout=10', '-rss_limit_mb=1024'];
    const corpus = existsSync(seeds) ? [found, seeds] : [found];
    await carryOut(
      `fuzz: ${name}`,
      join(folder, `fuzz_${name}`),
      [...args, ...corpus],
      RUNS.fuzz.env,
      totals,
    );
  }
}

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      build: { type: 'boolean', default: false },
      only: { type: 'string' },
      seconds: { type: 'string' },
      jobs: { type: 'string' },
    },
  });
  if (values.only && !(values.only in RUNS)) throw new Failure('--only is address, thread or fuzz');
  const options = {
    short: values.short,
    isBuild: values.build,
    seconds: Number(values.seconds ?? (values.short ? 5 : 60)),
    jobs: Number(values.jobs ?? availableParallelism()),
  };
  if (options.short) {
    const changed = await changedPrograms(root);
    options.programs = shortForm(changed, BOUNDARY);
    const left = (changed ?? []).filter((program) => !options.programs.includes(program));
    if (left.length > 0) console.log(`changed, and left to the long form: ${left.join(', ')}`);
  }
  const totals = { passed: 0, failed: 0 };
  if (options.programs?.length === 0) console.log('no C++ file changed');
  for (const name of options.programs?.length === 0 ? [] : values.only ? [values.only] : Object.keys(RUNS)) {
    if (name === 'fuzz') await fuzz(options, totals);
    else await sanitizedTests(name, options, totals);
  }
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed === 0 ? 0 : 1;
});

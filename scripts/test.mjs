#!/usr/bin/env node
/**
 * npm test: sets up, then runs every check and test. The last line has the numbers of passed and failed tests.
 *
 *   npm test [-- --no-native] [-- --sanitize] [-- --long] [-- FILTER…]
 *
 * FILTER: only the TypeScript tests whose path contains it; native:FILTER: only the C++ tests whose file or name contains it;
 * arm64:FILTER: those, built for arm64 and run by qemu, or the TypeScript tests where it begins with test/; arm64: alone
 * runs those of the long form.
 * --sanitize: also the short form of scripts/sanitize.mjs. --long: every member of each class that the short form samples,
 * and all C++ tests with the sanitizers.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lackingForArm64 } from './native/arm64.mjs';
import { Failure, runMain } from './setup/failure.mjs';
import { tail } from './setup/run.mjs';
import { requireTools } from './setup/tools.mjs';
import { root, setUp } from './setup.mjs';
import { nativeTestsForArm64 } from './tests/arm64.mjs';
import { typescriptTestsForArm64 } from './tests/arm64-typescript.mjs';
import { checksOf } from './tests/checks.mjs';
import { nativeTests, someNativeTests } from './tests/native.mjs';
import { sanitizerBuilds, sanitizerTests } from './tests/sanitizers.mjs';
import { vitestTests } from './tests/vitest.mjs';

// The programs that the tests start must not inherit npm's log level.
delete process.env.npm_config_loglevel;
const log = (line) => console.log(line);

async function main() {
  const { values, positionals } = options();
  const filters = filtersOf(positionals);
  if (values.long) Object.assign(process.env, LONG_FORMS);
  const began = performance.now();
  const totals = { passed: 0, failed: 0, skipped: 0, onlyLong: 0, failures: [] };
  try {
    await setUp(needs(filters));
    if (!values['no-native'] && (filters.all || filters.native.length > 0))
      await requireTools(['cmake', 'a C++ compiler', 'GoogleTest']);
    const { first, concurrent, last } = steps(values, filters);
    for (const [name, step] of first) await carryOut(name, step, totals);
    const running = Promise.all(concurrent.map(([name, step]) => carryOut(name, step, totals)));
    try {
      for (const [at, [name, step]] of last.entries()) {
        // The later ones run what those have built.
        if (at > 0) await running;
        await carryOut(name, step, totals);
      }
    } finally {
      await running;
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(`\nerror: ${error.message}\n${error.mend ? `fix it with:\n\n    ${error.mend}\n` : ''}`);
    totals.failed += 1;
  }
  // A log may have tens of thousands of lines, so only its end is shown.
  for (const { name, output } of totals.failures) log(`FAILED ${name}:\n${tail(output, 40)}`);
  if (totals.onlyLong > 0) log(`${totals.onlyLong} tests are of the long form: npm test -- --long`);
  if (totals.skipped > 0) log(`${totals.skipped} skipped`);
  if (filters.all && !values.long) log(timeUsed(performance.now() - began));
  log(`${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed === 0 ? 0 : 1;
}

/** The short form of the whole, on two cores that do nothing else. */
const BUDGET_MINUTES = 30;
const timeUsed = (ms) =>
  `${(ms / 60_000).toFixed(1)} minutes of the ${BUDGET_MINUTES} that a whole run may take on two cores`;

const NATIVE = 'native:';
const ARM64 = 'arm64:';
const TYPESCRIPT = 'test/';
const LONG_FORMS = {
  TRUNKLINE_TEST_LONG: '1',
  TRUNKLINE_TEST_CONTRACT: 'long',
  TRUNKLINE_TEST_FAULTS: 'long',
};

function filtersOf(words) {
  const after = (prefix) =>
    words.filter((word) => word.startsWith(prefix)).map((word) => word.slice(prefix.length));
  const typescript = words.filter((word) => !word.startsWith(NATIVE) && !word.startsWith(ARM64));
  return { native: after(NATIVE), arm64: after(ARM64), typescript, all: words.length === 0 };
}

/** Filtered tests start immediately, with the existing engine and models, current or not. */
function needs({ native, arm64, typescript, all }) {
  if (all) return {};
  if (native.length + arm64.length > 0 && typescript.length === 0)
    return { native: false, typescript: false, models: false };
  return { native: !existsSync(join(root, 'lib/binding/trunkline.node')), models: false };
}

function options() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        'no-native': { type: 'boolean', default: false },
        sanitize: { type: 'boolean', default: false },
        long: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new Failure(error.message);
  }
}

/** The first steps run one after another; then those of `concurrent`, beside the first of the last ones. */
function steps(values, filters) {
  const typescript = ['TypeScript tests', () => vitestTests(root, filters.typescript)];
  if (!filters.all) {
    const some = [
      ...filters.native.map((filter) => [`C++ tests ${filter}`, () => someNativeTests(root, filter, log)]),
      ...filters.arm64.flatMap((filter) => (filter === '' ? ['', TYPESCRIPT] : [filter]).map(onArm64)),
    ];
    return { first: some, concurrent: [], last: filters.typescript.length > 0 ? [typescript] : [] };
  }
  const native = values['no-native'] ? [] : [['C++ tests', () => nativeTests(root, log)]];
  const sanitizes = values.sanitize || values.long;
  const short = !values.long;
  const arm64 =
    values.long && !values['no-native'] ? [onArm64(''), onArm64(TYPESCRIPT)].map(whereEmulated) : [];
  return {
    first: [...checksOf(root), ...native, ...arm64],
    // The TypeScript tests wait for sound a fifth of their time.
    concurrent: sanitizes ? [['builds for sanitizers', () => sanitizerBuilds(root, { short })]] : [],
    last: [typescript, ...(sanitizes ? [['sanitizers', () => sanitizerTests(root, { short })]] : [])],
  };
}

const onArm64 = (filter) =>
  filter.startsWith(TYPESCRIPT)
    ? [
        `TypeScript tests ${filter} for arm64`,
        () => typescriptTestsForArm64(root, filter === TYPESCRIPT ? '' : filter, log),
      ]
    : [`C++ tests ${filter} for arm64`.replace('  ', ' '), () => nativeTestsForArm64(root, filter, log)];

/** In the long form a machine that lacks the compiler or the emulator skips these tests, and says so. */
const whereEmulated = ([name, step]) => [
  name,
  async () => {
    const lacking = await lackingForArm64(root);
    if (lacking === '') return await step();
    return {
      passed: 0,
      failed: 0,
      skipped: 1,
      notes: `nothing is tested for arm64 here, for want of: ${lacking}`,
    };
  },
];

async function carryOut(name, step, totals) {
  const began = performance.now();
  const { passed, failed, skipped = 0, onlyLong = 0, output = '', notes = '' } = await step();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  for (const text of [failed > 0 ? output : '', notes]) if (text) log(text.trimEnd());
  const also = skipped > 0 ? `, ${skipped} skipped` : '';
  log(
    `${failed > 0 ? 'FAILED' : 'ok    '} ${name}: ${passed} passed, ${failed} failed${also} (${seconds} s)`,
  );
  if (failed > 0) totals.failures.push({ name, output });
  totals.passed += passed;
  totals.failed += failed;
  totals.skipped += skipped;
  totals.onlyLong += onlyLong;
}

await runMain(main);

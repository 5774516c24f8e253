/**
 * Runs the TypeScript tests and counts them from vitest's JSON report; a file that cannot be loaded counts as one
 * failure. Files with failures run once more, alone (docs/decisions/126-flaky-test-retry.md); the output names the
 * failed tests, and those that passed only in the retry.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run, tail } from '../setup/run.mjs';

/** More failing files than this indicate a fault, whatever a retry says. */
const MOST_FILES_AGAIN = 6;

/** `by`: the Node that runs them, with the words before it. */
export async function vitestTests(root, filters, { by = [process.execPath], env = {} } = {}) {
  const runOnce = (words) => runVitest(root, words, by, env);
  const first = await runOnce(filters);
  if (first.report === undefined) return { passed: 0, failed: 1, output: first.output };
  let outside = first.outside;
  const failing = failingFiles(first.report);
  let counts = countVitest(first.report);
  if (failing.length > 0 && failing.length <= MOST_FILES_AGAIN) {
    const options = filters.filter((filter) => filter.startsWith('--'));
    const files = failing.map((file) => relative(root, file));
    const second = await runOnce(['--no-file-parallelism', ...options, ...files]);
    if (second.report !== undefined) {
      counts = settle(first.report, second.report);
      outside += second.outside;
    }
  }
  counts.notes = `${counts.notes ?? ''}${timesOf(first.report)}${filters.length === 0 ? longFilesOf(root) : ''}`;
  if (process.env.CI === 'true' && counts.lacking.length > 0) {
    counts.failed += counts.lacking.length;
    counts.output += counts.lacking.map((name) => `skipped, where CI runs every test: ${name}\n`).join('');
  }
  // An error outside any test (an unhandled rejection, a process that died) fails no test, and a retry does not mend it.
  counts.failed += outside;
  if (outside > 0) counts.output += `${outside} errors outside any test: see above\n`;
  if (first.code !== 0 && failing.length === 0 && outside === 0) counts.failed += 1;
  return counts;
}

const longFilesOf = (root) => {
  const files = readdirSync(join(root, 'test'), { recursive: true }).filter((name) =>
    name.endsWith('.long.test.ts'),
  );
  return process.env.TRUNKLINE_TEST_LONG === '1'
    ? ''
    : `${files.length} files are of the long form: npm test -- --long\n`;
};

/** The time of each file, slowest first, and each test that takes longer than the short form allows. */
export function timesOf(report, { allowedMs = 30_000 } = {}) {
  const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`.padStart(8);
  const timed = report.testResults
    .map(({ name, startTime, endTime }) => ({ name, ms: endTime - startTime }))
    .sort((a, b) => b.ms - a.ms);
  const whole = timed.reduce((sum, { ms }) => sum + ms, 0);
  const long = report.testResults
    .flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ fullName, duration }) => ({
        name: `${name} > ${fullName}`,
        ms: duration ?? 0,
      })),
    )
    .filter(({ ms }) => ms > allowedMs);
  const rows = (entries) => entries.map(({ name, ms }) => `${seconds(ms)}  ${name}\n`).join('');
  const files = `${timed.length} files, which took ${seconds(whole).trim()} in all, some at the same time:\n`;
  const above = long.length > 0 ? `longer than ${allowedMs / 1000} s:\n${rows(long)}` : '';
  return `${files}${rows(timed)}${above}`;
}

async function runVitest(root, words, [program, ...before], given) {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-vitest-'));
  const file = join(folder, 'report.json');
  const outside = join(folder, 'outside-errors');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [
    ...before,
    vitest,
    'run',
    '--reporter=default',
    '--reporter=json',
    `--reporter=${join(root, 'scripts/tests/outside-errors.mjs')}`,
    `--outputFile.json=${file}`,
    ...words,
  ];
  try {
    const namesFiles = words.some((word) => !word.startsWith('--'));
    const env = {
      ...given,
      TRUNKLINE_TEST_OUTSIDE_ERRORS: outside,
      ...(namesFiles ? { TRUNKLINE_TEST_LONG_FILES: '1' } : {}),
    };
    const ran = await run(program, args, { cwd: root, env, inherit: true });
    if (!existsSync(file)) return { code: ran.code, output: tail(ran.stdout + ran.stderr) };
    const errors = existsSync(outside) ? Number(readFileSync(outside, 'utf8')) : 0;
    return { code: ran.code, report: JSON.parse(readFileSync(file, 'utf8')), outside: errors };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const failingFiles = (report) =>
  report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);

function outcomes(report) {
  const tests = new Map();
  for (const { name, status, message, assertionResults } of report.testResults) {
    if (status === 'failed' && assertionResults.length === 0) tests.set(name, { failed: said(message) });
    for (const test of assertionResults)
      if (test.status === 'passed') tests.set(`${name} > ${test.fullName}`, {});
      else if (test.status === 'failed')
        tests.set(`${name} > ${test.fullName}`, { failed: said(test.failureMessages?.[0]) });
  }
  return tests;
}

const said = (message = '') => message.split('\n', 1)[0].slice(0, 300);

const failuresIn = (tests) => [...tests].filter(([, { failed }]) => failed !== undefined);

const named = (what, failures) =>
  failures.map(([name, { failed }]) => `${what}: ${name}\n    ${failed}\n`).join('');

export function countVitest(report) {
  const failures = failuresIn(outcomes(report));
  return {
    passed: report.numPassedTests,
    failed: failures.length,
    output: named('failed', failures),
    ...unrun(report),
  };
}

/** `longForm` of test/long-tests.ts puts this behind the name of a test that the long form alone runs. */
const LONG_FORM = ' (long form)';

/** A test that is skipped for another reason than its form lacks something that this machine could be given. */
export function unrun(...reports) {
  // A file that has failed has failures that say why its tests did not run; a file that ran twice counts as it ended.
  const files = new Map(reports.flatMap(({ testResults }) => testResults.map((file) => [file.name, file])));
  const whole = [...files.values()].filter(({ status }) => status !== 'failed');
  const names = whole.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => !['passed', 'failed'].includes(status))
      .map(({ fullName }) => `${name} > ${fullName}`),
  );
  const lacking = names.filter((name) => !name.includes(LONG_FORM));
  return { skipped: lacking.length, lacking, onlyLong: names.length - lacking.length };
}

/** A test that fails twice has failed; a test that passes only in the retry has passed, and is named. */
export function settle(first, second) {
  const [before, after] = [outcomes(first), outcomes(second)];
  const passes = (name) => after.has(name) && after.get(name).failed === undefined;
  const loads = (name) => !after.has(name) && second.testResults.some((file) => file.name === name);
  const [unsteady, lasting] = [[], []];
  for (const failure of failuresIn(before))
    (passes(failure[0]) || loads(failure[0]) ? unsteady : lasting).push(failure);
  const late = failuresIn(after).filter(([name]) => !before.has(name));
  const passed = new Set(
    [...before, ...after].filter(([, { failed }]) => failed === undefined).map(([name]) => name),
  );
  return {
    passed: passed.size,
    failed: lasting.length + late.length,
    ...unrun(first, second),
    output: named('failed twice', lasting) + named('failed', late),
    notes: named('passed only when run again', unsteady),
  };
}

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { modelVersions } from '../models/layout.mjs';
import { configureTests, BUILD_FOLDER as FOLDER, jobs } from '../native/compile.mjs';
import { withLock } from '../setup/lock.mjs';
import { run, tail } from '../setup/run.mjs';
import { chosenTests, countGoogleTest, LONG_FORM, longTests } from './native-some.mjs';

/** More failing tests than this indicate a fault, whatever a retry says. */
const MOST_TESTS_AGAIN = 6;

/** Failed tests run once more, alone, as those of TypeScript do (docs/decisions/126-flaky-test-retry.md). */
export async function nativeTests(root, log) {
  const built = await build(root, log);
  if (built.code !== 0) return { passed: 0, failed: 1, output: tail(built.stdout + built.stderr, 40) };
  const isLong = process.env.TRUNKLINE_TEST_LONG === '1';
  const first = await runAll(root, '-j', String(jobs()), ...(isLong ? [] : ['-E', `\\.${LONG_FORM}`]));
  if (first.xml === undefined) return { passed: 0, failed: 1, output: tail(first.output, 40) };
  const { failed } = countJUnit(first.xml);
  const again = failed > 0 && failed <= MOST_TESTS_AGAIN ? await runAll(root, '--rerun-failed') : {};
  return { ...settleNative(first, again), onlyLong: isLong ? 0 : longTests(root) };
}

async function runAll(root, ...words) {
  const junit = join(root, FOLDER, 'junit.xml');
  rmSync(junit, { force: true });
  const args = ['--test-dir', FOLDER, '--output-on-failure', '--output-junit', junit, ...words];
  const { stdout, stderr } = await run('ctest', args, { cwd: root, env: modelVersions() });
  return { xml: existsSync(junit) ? readFileSync(junit, 'utf8') : undefined, output: stdout + stderr };
}

/** A test that fails twice has failed; a test that passes only in the retry has passed, and is named with what it said. */
export function settleNative(first, again) {
  const before = countJUnit(first.xml);
  const after = again.xml === undefined ? null : countJUnit(again.xml);
  // A retry that did not run each of the failed tests settles nothing.
  if (after === null || after.passed + after.failed !== before.failed)
    return { ...before, output: failuresOf(first.output) };
  return {
    passed: before.passed + after.passed,
    failed: after.failed,
    skipped: before.skipped,
    output: failuresOf(again.output),
    notes: after.passed > 0 ? `passed only when run again:\n${tail(failuresOf(first.output), 40)}` : '',
  };
}

export async function someNativeTests(root, filter, log) {
  const chosen = chosenTests(root, filter);
  if (chosen.length === 0)
    return { passed: 0, failed: 1, output: `no C++ test has ${filter} in its file or name` };
  const targets = chosen.map(({ program }) => program);
  const built = await build(root, log, targets);
  if (built.code !== 0) return { passed: 0, failed: 1, output: tail(built.stdout + built.stderr, 40) };
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for (const one of chosen) {
    const counts = await runProgram(root, one);
    for (const name of Object.keys(totals)) totals[name] += counts[name];
  }
  return totals;
}

/** `by`: the program, with its first arguments, that runs those of another processor. */
export async function runProgram(root, { program, pattern }, { folder = FOLDER, by = [], env } = {}) {
  const report = join(root, folder, `${program}.json`);
  rmSync(report, { force: true });
  const [command, ...first] = [...by, join(root, folder, program)];
  const args = [...first, `--gtest_filter=${pattern}`, '--gtest_brief=1', `--gtest_output=json:${report}`];
  await run(command, args, {
    cwd: join(root, folder),
    env: { ...modelVersions(), ...env },
    inherit: true,
  });
  // A program that crashed has written no report.
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
  return countGoogleTest(JSON.parse(readFileSync(report, 'utf8')));
}

/** The tests build in the engine's own folder, so that nothing is compiled twice. */
function build(root, log, targets = []) {
  const waiting = 'C++ tests: another process is building; waiting for it';
  return withLock(join(root, FOLDER), log, waiting, async () => {
    let configured = await configureTests(root);
    if (configured.code !== 0 && existsSync(join(root, FOLDER, 'CMakeCache.txt'))) {
      rmSync(join(root, FOLDER), { recursive: true, force: true });
      configured = await configureTests(root);
    }
    if (configured.code !== 0) return configured;
    log('C++ tests: building');
    const only = targets.length > 0 ? ['--target', ...targets] : [];
    return await run('cmake', ['--build', FOLDER, '-j', String(jobs()), ...only], { cwd: root });
  });
}

export function countJUnit(xml) {
  const number = (name) => Number(new RegExp(`<testsuite[^>]*\\b${name}="(\\d+)"`).exec(xml)?.[1] ?? 0);
  const failed = number('failures') + number('errors');
  const skipped = number('skipped') + number('disabled');
  return { passed: number('tests') - failed - skipped, failed, skipped };
}

function failuresOf(output) {
  return output
    .split('\n')
    .filter((line) => !/Passed\s+[\d.]+ sec$|^\s*Start\s+\d+:/.test(line))
    .join('\n');
}

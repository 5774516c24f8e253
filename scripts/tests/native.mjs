import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { modelVersions } from '../models/layout.mjs';
import { configureTests, BUILD_FOLDER as FOLDER, jobs } from '../native/compile.mjs';
import { withLock } from '../setup/lock.mjs';
import { run, tail } from '../setup/run.mjs';
import { chosenTests, countGoogleTest } from './native-some.mjs';

export async function nativeTests(root, log) {
  const built = await build(root, log);
  if (built.code !== 0) return { passed: 0, failed: 1, output: tail(built.stdout + built.stderr, 40) };
  const junit = join(root, FOLDER, 'junit.xml');
  rmSync(junit, { force: true });
  const args = ['--test-dir', FOLDER, '--output-on-failure', '--output-junit', junit, '-j', String(jobs())];
  const ran = await run('ctest', args, { cwd: root, env: modelVersions() });
  if (!existsSync(junit)) return { passed: 0, failed: 1, output: tail(ran.stdout + ran.stderr, 40) };
  return { ...countJUnit(readFileSync(junit, 'utf8')), output: failuresOf(ran.stdout) };
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

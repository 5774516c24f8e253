/** The C++ tests: built without Node, run by ctest, counted from its JUnit file. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { modelVersions } from '../models/layout.mjs';
import { run, tail } from '../setup/run.mjs';

const FOLDER = 'build-native-test';

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

async function build(root, log) {
  const ninja = (await run('ninja', ['--version'])).code === 0 ? ['-G', 'Ninja'] : [];
  const options = ['-DTRUNKLINE_ADDON=OFF', '-DTRUNKLINE_TESTS=ON', '-DCMAKE_BUILD_TYPE=Release'];
  const configure = () =>
    run('cmake', ['-S', 'native', '-B', FOLDER, ...(fresh() ? ninja : []), ...options], { cwd: root });
  const fresh = () => !existsSync(join(root, FOLDER, 'CMakeCache.txt'));
  let configured = await configure();
  if (configured.code !== 0 && !fresh()) {
    rmSync(join(root, FOLDER), { recursive: true, force: true }); // left by a killed run or another checkout
    configured = await configure();
  }
  if (configured.code !== 0) return configured;
  log('C++ tests: building');
  return run('cmake', ['--build', FOLDER, '-j', String(jobs())], { cwd: root });
}

const jobs = () => Number(process.env.TRUNKLINE_BUILD_JOBS) || availableParallelism();

/** ctest's own totals; a test that could not be run at all counts as failed. */
export function countJUnit(xml) {
  const number = (name) => Number(new RegExp(`<testsuite[^>]*\\b${name}="(\\d+)"`).exec(xml)?.[1] ?? 0);
  const failed = number('failures') + number('errors');
  const skipped = number('skipped') + number('disabled');
  return { passed: number('tests') - failed - skipped, failed, skipped };
}

/** What ctest printed about failing tests: the whole output of each, without the passing ones. */
function failuresOf(output) {
  return output
    .split('\n')
    .filter((line) => !/Passed\s+[\d.]+ sec$|^\s*Start\s+\d+:/.test(line))
    .join('\n');
}

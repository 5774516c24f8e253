/**
 * Tests of what is built for arm64, which qemu runs. It takes some fifty times as long as a processor of arm64 would, so
 * a whole run leaves out the C++ tests that run models of speech for long, and runs a part of the TypeScript tests.
 */
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bindingOf, buildNative } from '../build-native.mjs';
import { ARM64, modelsForArm64 } from '../models/arm64.mjs';
import { modelVersions } from '../models/layout.mjs';
import { configureArm64, emulating, ARM64_FOLDER as FOLDER, packagesForArm64 } from '../native/arm64.mjs';
import { jobs } from '../native/compile.mjs';
import { databaseFor } from '../release/databases.mjs';
import { nodeFolder } from '../release/nodes.mjs';
import { Failure } from '../setup/failure.mjs';
import { fitListener } from '../setup/listener-binary.mjs';
import { withLock } from '../setup/lock.mjs';
import { run, tail } from '../setup/run.mjs';
import { runProgram } from './native.mjs';
import { chosenTests } from './native-some.mjs';
import { vitestTests } from './vitest.mjs';

const WORK = 'build-release';
const GLIBC = '2.36';
const LEFT_OUT = {
  // qemu filters no system calls.
  test_text: ['Pronunciation.TheProcessHasNoSecretsAndNoReach'],
};
const TYPESCRIPT = ['test/media/engine', 'test/media/codec', 'test/media/wire'];

export async function nativeTestsForArm64(root, filter, log) {
  const chosen = filter === '' ? wholeRun(root) : chosenTests(root, filter);
  if (chosen.length === 0)
    return { passed: 0, failed: 1, output: `no C++ test has ${filter} in its file or name` };
  const targets = chosen.map(({ program }) => program);
  const built = await build(root, log, targets);
  if (built.code !== 0) return { passed: 0, failed: 1, output: tail(built.stdout + built.stderr, 40) };
  const env = { ...modelVersions(ARM64), TRUNKLINE_MODELS: await modelsForArm64(root, log) };
  const totals = { passed: 0, failed: 0, skipped: 0 };
  const carryOut = async (one, processor) => {
    const counts = await runProgram(root, one, { folder: FOLDER, by: emulating(root, { processor }), env });
    for (const name of Object.keys(totals)) totals[name] += counts[name];
  };
  const queue = [...chosen];
  const worker = async () => {
    for (let one = queue.shift(); one; one = queue.shift()) await carryOut(one);
  };
  await Promise.all(Array.from({ length: jobs() }, worker));
  // The 8-bit products once more, on a processor without instructions for them.
  if (filter === '') await carryOut({ program: 'test_onnx', pattern: 'Int8.*' }, 'cortex-a72');
  return totals;
}

function wholeRun(root) {
  const programs = chosenTests(root, '').map(({ program }) => program);
  return programs.map((program) => ({ program, pattern: `*-${(LEFT_OUT[program] ?? []).join(':')}` }));
}

function build(root, log, targets) {
  const waiting = 'arm64: another process is building; waiting for it';
  return withLock(join(root, FOLDER), log, waiting, async () => {
    const configured = await configureArm64(root, log, { tests: true });
    if (configured.code !== 0) return configured;
    log('arm64: building the C++ tests');
    return await run('cmake', ['--build', FOLDER, '-j', String(jobs()), '--target', ...targets], {
      cwd: root,
    });
  });
}

export async function typescriptTestsOnArm64(root, log) {
  await buildNative({ arch: 'arm64', log });
  const copy = await checkoutForArm64(root, log);
  const node = join(await nodeFolder(process.versions.modules, join(root, WORK), log, 'arm64'), 'bin/node');
  const env = { TRUNKLINE_MODELS: await modelsForArm64(root, log) };
  return await vitestTests(copy, [...TYPESCRIPT, '--testTimeout=600000', '--hookTimeout=600000'], {
    node: [...emulating(root), node],
    env,
  });
}

/** A copy of the checkout, with the packages and compiled files of arm64. */
async function checkoutForArm64(root, log) {
  const copy = await packagesForArm64(root, log);
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  });
  if (listed.code !== 0)
    throw new Failure(`git cannot list the files of the checkout:\n${tail(listed.stderr)}`);
  const files = listed.stdout.split('\0').filter((name) => name !== '' && existsSync(join(root, name)));
  for (const name of files) {
    mkdirSync(dirname(join(copy, name)), { recursive: true });
    rmSync(join(copy, name), { force: true });
    copyFileSync(join(root, name), join(copy, name));
  }
  const { modules: abi } = process.versions;
  const database = await databaseFor(abi, { root: copy, work: join(root, WORK), log, arch: 'arm64' });
  place(database, join(copy, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'));
  await fitListener(copy, { abi, platform: 'linux', arch: 'arm64', glibc: GLIBC });
  for (const name of ['trunkline.node', 'trunkline-phonemes', 'trunkline-sip'])
    place(join(root, bindingOf('arm64'), name), join(copy, 'lib/binding', name));
  return copy;
}

function place(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  rmSync(to, { force: true });
  copyFileSync(from, to);
}

/**
 * The C++ tests as they are built for arm64, which qemu runs. It takes some fifty times as long as a processor of arm64
 * would, so a whole run leaves out the tests that run models of speech for long; a filter runs them.
 */
import { join } from 'node:path';
import { ARM64, modelsForArm64 } from '../models/arm64.mjs';
import { modelVersions } from '../models/layout.mjs';
import { configureArm64, emulating, ARM64_FOLDER as FOLDER } from '../native/arm64.mjs';
import { jobs } from '../native/compile.mjs';
import { withLock } from '../setup/lock.mjs';
import { run, tail } from '../setup/run.mjs';
import { runProgram } from './native.mjs';
import { chosenTests } from './native-some.mjs';

const MODELS_OF_SPEECH = new Set(['test_asr', 'test_hear', 'test_omni', 'test_speak', 'test_speaker']);
// qemu filters no system calls.
const UNFIT = 'Pronunciation.TheProcessHasNoSecretsAndNoReach';
/** The tests of the kernels, in a program whose other tests speak. */
const KERNELS = { test_tts: '*GeneratorTest.*:*ToomCook*' };

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
    const counts = await runProgram(root, one, { folder: FOLDER, by: emulating(root, processor), env });
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
  return programs
    .filter((program) => !MODELS_OF_SPEECH.has(program))
    .map((program) => ({ program, pattern: KERNELS[program] ?? `*-${UNFIT}` }));
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

import { join } from 'node:path';
import { run, tail } from '../setup/run.mjs';

const program = (root, short) => [join(root, 'scripts/sanitize.mjs'), ...(short ? ['--short'] : [])];

export async function sanitizerTests(root, { short }) {
  const done = await run(process.execPath, program(root, short), { cwd: root });
  const output = `${done.stdout}${done.stderr}`;
  const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(done.stdout) ?? [];
  if (passed === undefined) return { passed: 0, failed: 1, output: tail(output, 60) };
  const [left = ''] = /^changed, and left to the long form: .*$/m.exec(done.stdout) ?? [];
  return { passed: Number(passed), failed: Number(failed), output, notes: left };
}

/** Builds what `sanitizerTests` runs, and yields to whatever else runs. Its failure is that of the tests, which build again. */
export async function sanitizerBuilds(root, { short }) {
  await run('nice', ['-n', '19', process.execPath, ...program(root, short), '--build'], { cwd: root });
  return { passed: 0, failed: 0 };
}

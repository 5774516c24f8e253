import { join } from 'node:path';
import { run, tail } from '../setup/run.mjs';

export async function sanitizerTests(root, { short }) {
  const args = [join(root, 'scripts/sanitize.mjs'), ...(short ? ['--short'] : [])];
  const done = await run(process.execPath, args, { cwd: root });
  const output = `${done.stdout}${done.stderr}`;
  const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(done.stdout) ?? [];
  if (passed === undefined) return { passed: 0, failed: 1, output: tail(output, 60) };
  return { passed: Number(passed), failed: Number(failed), output };
}

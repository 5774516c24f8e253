import { join } from 'node:path';
import { run, tail } from '../setup/run.mjs';

export async function sanitizerTests(root) {
  const done = await run(process.execPath, [join(root, 'scripts/sanitize.mjs'), '--short'], { cwd: root });
  const output = `${done.stdout}${done.stderr}`;
  const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(done.stdout) ?? [];
  if (passed === undefined) return { passed: 0, failed: 1, output: tail(output, 60) };
  return { passed: Number(passed), failed: Number(failed), output };
}

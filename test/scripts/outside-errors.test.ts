// @requirement Set-up: An error outside any test fails the run.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

it('counts an error that no test awaits, though every test passed', () => {
  // It finds vitest, because it is below the project.
  const folder = mkdtempSync(join(ROOT, 'node_modules/.trunkline-outside-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'late.test.js'),
    "import { it } from 'vitest';\nit('passes', async () => {\n  setTimeout(() => { throw new Error('nobody waits'); });\n  await new Promise((done) => setTimeout(done, 50));\n});\n",
  );
  writeFileSync(join(folder, 'vitest.config.js'), "export default { test: { include: ['*.test.js'] } };\n");
  const counted = join(folder, 'counted');
  const args = ['run', '--root', folder, `--reporter=${join(ROOT, 'scripts/tests/outside-errors.mjs')}`];
  const { status } = spawnSync(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...args], {
    env: { ...process.env, TRUNKLINE_TEST_OUTSIDE_ERRORS: counted },
  });
  expect(status).toBe(1);
  expect(readFileSync(counted, 'utf8')).toBe('1');
});

/** The TypeScript tests, counted from vitest's JSON report; a file that cannot be loaded counts as one failure. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, tail } from '../setup/run.mjs';

export async function vitestTests(root, filters) {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-vitest-'));
  const report = join(folder, 'report.json');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [
    vitest,
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...filters,
  ];
  try {
    const ran = await run(process.execPath, args, { cwd: root, inherit: true });
    if (!existsSync(report)) return { passed: 0, failed: 1, output: tail(ran.stdout + ran.stderr) };
    const counts = countVitest(JSON.parse(readFileSync(report, 'utf8')));
    // An error outside any test (an unhandled rejection) fails the run without failing a test.
    if (ran.code !== 0 && counts.failed === 0) counts.failed = 1;
    return counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function countVitest(report) {
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  const skipped = report.numPendingTests + (report.numTodoTests ?? 0);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped,
    output: '',
  };
}

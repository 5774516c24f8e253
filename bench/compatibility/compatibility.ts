import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type Report, runBench } from '../harness/index.ts';

type Outcome = 'unchanged' | 'documented' | 'broken';

interface Listed {
  readonly page: string;
  readonly file: string;
  readonly features: readonly { readonly test: string; readonly difference?: string }[];
}

interface Ran {
  readonly file: string;
  readonly title: string;
  readonly status: string;
}

interface Judged extends Ran {
  readonly page: string;
  readonly outcome: Outcome;
}

interface Results {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

const SUITE = 'test/foreign';
const LIST = 'features.json';
const OUTCOMES = ['unchanged', 'documented', 'broken'] as const;

/** A test runs once: what fails at random is broken to a customer as well. */
function runSuite(parts: readonly string[]): Ran[] {
  const output = resolve('build-bench/compatibility/results.json');
  mkdirSync(dirname(output), { recursive: true });
  const files = parts.length > 0 ? parts.map((part) => join(SUITE, part)) : [SUITE];
  const args = ['run', ...files, '--maxWorkers=1', '--reporter=json', `--outputFile=${output}`];
  spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], { stdio: 'inherit' });
  const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as Results;
  const crashed = testResults.find(({ assertionResults }) => assertionResults.length === 0);
  if (crashed) throw new Error(`${crashed.name} did not run: ${crashed.message}`);
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ title, status }) => ({ file: relative(resolve(SUITE), name), title, status })),
  );
}

/** `%s` of a listed title stands for a parameter of the test. */
const patternOf = (title: string): RegExp =>
  new RegExp(`^${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('%s', '.+')}$`);

function judge(listed: readonly Listed[], ran: Ran): Judged[] {
  if (ran.status === 'skipped' || ran.status === 'pending') return [];
  for (const { page, file, features } of listed) {
    const feature =
      file === ran.file ? features.find(({ test }) => patternOf(test).test(ran.title)) : undefined;
    if (feature === undefined) continue;
    const works = feature.difference === undefined ? 'unchanged' : 'documented';
    return [{ ...ran, page, outcome: ran.status === 'passed' ? works : 'broken' }];
  }
  return [];
}

function describe(report: Report, judged: readonly Judged[], skipped: number): void {
  const count = (outcome: Outcome, page?: string): number =>
    judged.filter((one) => one.outcome === outcome && (page === undefined || one.page === page)).length;
  const unit = 'features';
  report.figure({ name: 'tried', value: judged.length, unit });
  report.figure({ name: 'unchanged', value: count('unchanged'), unit });
  report.figure({ name: 'with a documented difference', value: count('documented'), unit });
  report.figure({ name: 'broken', value: count('broken'), unit, goal: { atMost: 0 } });
  report.table(
    ['Page', 'Tried', 'Unchanged', 'Documented', 'Broken'],
    [...new Set(judged.map(({ page }) => page))].map((page) => {
      const counts = OUTCOMES.map((outcome) => count(outcome, page));
      return [`[${page}](../../docs/guides/${page})`, counts.reduce((a, b) => a + b, 0), ...counts];
    }),
  );
  for (const { file, title, outcome } of judged)
    if (outcome === 'broken') report.text(`Broken: \`${file}\`: ${title}`);
  if (skipped > 0)
    report.text(`${skipped} were not tried: their clients could not be installed, or models are missing.`);
}

await runBench('compatibility', 'Clients of others, unchanged', (report, { parts }) => {
  report.text(
    'Each feature is tried with the client that others wrote, changed in address and key alone. Documented: it works, and its page says in one sentence what differs.',
  );
  const listed = JSON.parse(readFileSync(join(SUITE, LIST), 'utf8')) as Listed[];
  const ran = runSuite(parts).filter(({ file }) => file !== 'features.test.ts');
  const judged = ran.flatMap((one) => judge(listed, one));
  describe(report, judged, ran.length - judged.length);
});

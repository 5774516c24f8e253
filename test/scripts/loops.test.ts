import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
// @ts-expect-error scripts are plain JavaScript
import { chosenTests, countGoogleTest } from '../../scripts/tests/native-some.mjs';

const root = join(import.meta.dirname, '../..');

interface Chosen {
  readonly program: string;
  readonly pattern: string;
}
const chosen = (filter: string) => chosenTests(root, filter) as Chosen[];

describe('npm test -- native:FILTER', () => {
  it('takes a whole file by its path', () => {
    const [only, ...others] = chosen('vad/endpointer');
    expect(others).toEqual([]);
    expect(only!.program).toBe('test_vad');
    expect(only!.pattern.split(':').length).toBeGreaterThan(3);
  });

  it('takes tests by their name, in whatever module and letter case', () => {
    const programs = chosen('ALLOCATION').map(({ program }) => program);
    expect(programs).toEqual(expect.arrayContaining(['test_engine', 'test_hear', 'test_omni']));
    expect(programs).not.toContain('test_text');
  });

  it('finds nothing where nothing has that name', () => {
    expect(chosen('no such test')).toEqual([]);
  });

  it('counts what passed, failed and was skipped', () => {
    const one = (change: object) => ({ result: 'COMPLETED', ...change });
    const report = {
      testsuites: [
        { testsuite: [one({}), one({ failures: [{}] })] },
        { testsuite: [one({ result: 'SKIPPED' }), one({})] },
      ],
    };
    expect(countGoogleTest(report)).toEqual({ passed: 2, failed: 1, skipped: 1 });
  });
});

describe('npm run bench', () => {
  const bench = (...args: string[]) =>
    spawnSync(process.execPath, ['bench/run.mjs', ...args], { cwd: root, encoding: 'utf8' });

  it('lists the benchmarks', () => {
    const { status, stdout } = bench();
    expect(status).toBe(0);
    for (const name of ['hear', 'speak', 'omni', 'long-file']) expect(stdout).toContain(`  ${name} `);
  });

  it('says which there are where none has the name', () => {
    const { status, stderr } = bench('haer');
    expect(status).toBe(2);
    expect(stderr).toContain('there is no benchmark haer');
    expect(stderr).toContain('  hear ');
  });
});

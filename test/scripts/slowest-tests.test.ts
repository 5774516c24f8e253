import { expect, it } from 'vitest';
// @ts-expect-error scripts are plain JavaScript
import { slowest } from '../../scripts/tests/vitest.mjs';

const file = (name: string, seconds: number, tests: readonly number[]) => ({
  name,
  startTime: 1000,
  endTime: 1000 + seconds * 1000,
  assertionResults: tests.map((each, at) => ({ fullName: `test ${at}`, duration: each * 1000 })),
});

it('names the slowest files, and each test that takes longer than the short form allows', () => {
  const report = {
    testResults: [file('a.test.ts', 2, [1]), file('b.test.ts', 45, [31, 14]), file('c.test.ts', 5, [5])],
  };
  expect(slowest(report, { files: 2 })).toBe(
    `the slowest of 3 files, which took 52.0 s in all:
  45.0 s  b.test.ts
   5.0 s  c.test.ts
longer than 30 s:
  31.0 s  b.test.ts > test 0
`,
  );
});

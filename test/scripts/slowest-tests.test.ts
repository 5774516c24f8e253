import { expect, it } from 'vitest';
// @ts-expect-error scripts are plain JavaScript
import { timesOf, unrun } from '../../scripts/tests/vitest.mjs';

const file = (name: string, seconds: number, tests: readonly number[]) => ({
  name,
  startTime: 1000,
  endTime: 1000 + seconds * 1000,
  assertionResults: tests.map((each, at) => ({ fullName: `test ${at}`, duration: each * 1000 })),
});

it('gives the time of each file, and names each test that takes longer than the short form allows', () => {
  const report = {
    testResults: [file('a.test.ts', 2, [1]), file('b.test.ts', 45, [31, 14]), file('c.test.ts', 5, [5])],
  };
  expect(timesOf(report)).toBe(
    `3 files, which took 52.0 s in all, some at the same time:
  45.0 s  b.test.ts
   5.0 s  c.test.ts
   2.0 s  a.test.ts
longer than 30 s:
  31.0 s  b.test.ts > test 0
`,
  );
});

it('counts tests of the long form apart from those that this machine cannot run', () => {
  const tests = [
    ['passed', 'a'],
    ['failed', 'b'],
    ['skipped', 'c (long form)'],
    ['skipped', 'blocks of d (long form) e'],
    ['skipped', 'f'],
  ].map(([status, fullName]) => ({ status, fullName }));
  expect(unrun({ testResults: [{ name: 'a.test.ts', assertionResults: tests }] })).toEqual({
    skipped: 1,
    lacking: ['a.test.ts > f'],
    onlyLong: 2,
  });
});

import { expect, it } from 'vitest';
import { clockParts, skewNumbers } from '../../src/main/clock-skew.ts';

it('shows a clock that is wrong, and leaves its node in service', () => {
  expect(clockParts(1_200)).toEqual([{ name: 'clock', ready: true, required: false }]);
  expect(clockParts(600_000)).toMatchObject([
    { ready: true, required: false, degraded: true, detail: expect.stringContaining('600.0 s ahead of') },
  ]);
  expect(clockParts(-3_000)).toMatchObject([{ detail: expect.stringContaining('3.0 s behind') }]);
  expect(skewNumbers(-3_000)).toEqual({ skew_seconds: -3 });
});

it('says nothing of the clock of a node that is alone', () => {
  expect(clockParts(null)).toEqual([]);
  expect(skewNumbers(null)).toEqual({});
});

// @requirement Brains: A language model that is down is reported by readiness and `doctor`.
import { expect, it } from 'vitest';
import { BrainFaults } from '../../src/main/brain-faults.ts';

it('is told with its reason for a quarter of an hour, and is never required', () => {
  let now = 1_000_000;
  const faults = new BrainFaults({ now: () => now });
  expect(faults.parts()).toEqual([]);
  faults.note('model at home', { fault: 'unreachable', message: 'nobody listens' });
  now += 7_000;
  expect(faults.parts()).toEqual([
    {
      name: 'brain model at home',
      ready: false,
      required: false,
      detail: 'failed 7 s ago, unreachable: nobody listens',
    },
  ]);
  now += 15 * 60_000;
  expect(faults.parts()).toEqual([]);
});

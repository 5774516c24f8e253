import { expect, it } from 'vitest';
import { AdmissionMonitor } from '../../../src/conversation/calls/admission-monitor.ts';
import { ApiError } from '../../../src/foundation/platform/errors.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

async function passed(clock: ManualClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it('ends no call while the database is away for ten minutes, and ends it at the refusal that follows', async () => {
  const clock = new ManualClock();
  const ended: string[] = [];
  let fault: Error = new ApiError('unavailable', 'The database does not answer.');
  let failures = 0;
  const monitor = new AdmissionMonitor({
    clock,
    check: () => Promise.reject(fault),
    refused: ({ code }) => ended.push(code),
    failed: () => {
      failures += 1;
    },
  });
  monitor.start();
  await passed(clock, 300);
  fault = new Error('Connection terminated unexpectedly');
  await passed(clock, 300);
  expect(ended).toEqual([]);
  expect(failures).toBeGreaterThan(100);
  fault = new ApiError('credit_exhausted', 'There is no credit left.');
  await passed(clock, 6);
  expect(ended).toEqual(['credit_exhausted']);
  await passed(clock, 20);
  expect(ended).toHaveLength(1);
  expect(clock.timers).toBe(0);
});

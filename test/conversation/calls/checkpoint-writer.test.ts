import { expect, it } from 'vitest';
import { CheckpointWriter } from '../../../src/conversation/calls/checkpoint-writer.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { settle } from '../session/stage.ts';

function writer(write: () => Promise<void> = async () => undefined) {
  const clock = new ManualClock();
  const writes: number[] = [];
  const errors: unknown[] = [];
  const made = new CheckpointWriter({
    clock,
    write: async () => {
      writes.push(clock.now());
      await write();
    },
    onError: (error) => errors.push(error),
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };
  return { made, writes, errors, pass, clock };
}

it('writes what happens at once, and what happens together once', async () => {
  const { made, writes, pass } = writer();
  for (let event = 0; event < 5; event++) made.touch();
  await pass(0);
  expect(writes).toHaveLength(1);
  made.touch();
  await pass(0);
  expect(writes).toHaveLength(2);
});

it('writes at most 20 times in any minute, and the last of what happened', async () => {
  const { made, writes, pass, clock } = writer();
  for (let second = 0; second < 300; second++) {
    made.touch();
    await pass(1_000);
  }
  for (const from of writes)
    expect(writes.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(20);
  expect(writes.length).toBeGreaterThan(60);
  made.touch();
  const touched = clock.now();
  await pass(5_000);
  expect(writes.at(-1)).toBeGreaterThanOrEqual(touched);
});

it('tries again what the database did not take, and nothing once the call has ended', async () => {
  let isAway = true;
  const { made, writes, errors, pass } = writer(async () => {
    if (isAway) throw new Error('the database is away');
  });
  made.touch();
  await pass(0);
  expect([writes.length, errors.length]).toEqual([1, 1]);
  isAway = false;
  await pass(5_000);
  expect([writes.length, errors.length]).toEqual([2, 1]);
  made.touch();
  made.stop();
  await pass(60_000);
  expect(writes).toHaveLength(2);
});

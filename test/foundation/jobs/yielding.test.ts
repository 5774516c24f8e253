import { expect, it } from 'vitest';
import type { RunningJob, StopError } from '../../../src/foundation/jobs/index.ts';
import { until } from '../../poll.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { enqueue, Handler, rows, setup } from './handler.ts';

const TURN_MS = 600_000;

const untilYielded = (job: RunningJob) =>
  until(async () => {
    try {
      await job.checkpoint(0.5, async () => {});
      return false;
    } catch (error) {
      expect((error as StopError).reason).toBe('made_room');
      return true;
    }
  });

onBothDatabases('a hand', (databases) => {
  it('is given back at a checkpoint by a tenant that has several, where another one waits', async () => {
    const { storage, clock, queue } = await setup(databases);
    const handler = new Handler({ concurrency: 2, timeSliceMs: TURN_MS });
    const worker = queue.startWorker(handler.definition);
    for (const [at, id] of ['a1', 'a2'].entries()) {
      await enqueue(storage, queue, id);
      await handler.startedCount(at + 1);
      clock.advance(1);
    }
    await enqueue(storage, queue, 'a3');
    await enqueue(storage, queue, 'b1', { tenant: 'b' });
    await untilYielded(handler.started[0]!);
    await handler.startedCount(3);
    expect(handler.started[2]!.id).toBe('b1');
    expect(await queue.view(storage.db, 'a1')).toMatchObject({
      state: 'waiting',
      progress: 0.5,
      attempts: 0,
    });
    expect(handler.settle.get('a2')!.signal.aborted).toBe(false);
    await handler.completeLast();
    await handler.startedCount(4);
    expect(handler.started[3]).toMatchObject({ id: 'a1', attempt: 1 });
    await worker.stop(0);
  });

  it('is kept where only its own tenant waits, or what waits is not due', async () => {
    const { storage, clock, queue } = await setup(databases);
    const handler = new Handler({ concurrency: 2, timeSliceMs: TURN_MS });
    const worker = queue.startWorker(handler.definition);
    await enqueue(storage, queue, 'b1', { tenant: 'b', runAt: clock.now() + 3600_000 });
    for (const id of ['a1', 'a2', 'a3']) await enqueue(storage, queue, id);
    await handler.startedCount(2);
    for (let look = 0; look < 5; look += 1) {
      clock.advance(5000);
      await until(async () => clock.timers === 2);
      for (const job of handler.started) await job.checkpoint(0.5, async () => {});
    }
    expect((await rows(storage)).map(({ state }) => state)).toEqual([
      'running',
      'running',
      'waiting',
      'waiting',
    ]);
    await worker.stop(0);
  });

  it('is given back after its turn to a tenant that has none', async () => {
    const { storage, clock, queue } = await setup(databases);
    const handler = new Handler({ timeSliceMs: TURN_MS, leaseMs: 10 * TURN_MS });
    const worker = queue.startWorker(handler.definition);
    await enqueue(storage, queue, 'a1');
    await handler.startedCount(1);
    await enqueue(storage, queue, 'b1', { tenant: 'b' });
    clock.advance(TURN_MS / 2);
    await until(async () => clock.timers === 2);
    await handler.started[0]!.checkpoint(0.1, async () => {});
    clock.advance(TURN_MS / 2);
    await untilYielded(handler.started[0]!);
    await handler.startedCount(2);
    expect(handler.started[1]!.id).toBe('b1');
    await worker.stop(0);
  });
});

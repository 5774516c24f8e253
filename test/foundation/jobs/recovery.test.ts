import { expect, it } from 'vitest';
import { JobQueue, type StopError } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { openSharedClock, type Storage } from '../../../src/foundation/storage/index.ts';
import { until } from '../../poll.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { enqueue, Handler, QUEUE, setup } from './handler.ts';

const rowOf = (storage: Storage, id: string) =>
  storage.db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

onBothDatabases('a job whose lease ran out', (databases) => {
  it('is not taken from the very worker that still runs it, after the machine slept', async () => {
    const { storage, clock, queue } = await setup(databases);
    const handler = new Handler({ concurrency: 3 });
    const worker = queue.startWorker(handler.definition);
    await enqueue(storage, queue, 'sentinel', { tenant: 'b', runAt: clock.now() + 1000 });
    await enqueue(storage, queue, 'one');
    await handler.startedCount(1);
    await until(async () => clock.timers === 2);
    clock.standStill(60_000);
    clock.fireNext();
    await handler.startedCount(2);
    expect(handler.started.map(({ id }) => id)).toEqual(['one', 'sentinel']);
    expect(handler.settle.get('one')!.signal.aborted).toBe(false);
    clock.advance(0);
    await until(async () => (await rowOf(storage, 'one')).lease_until === clock.now() + 30_000);
    expect(await rowOf(storage, 'one')).toMatchObject({ state: 'running', losses: 0 });
    await handler.started[0]!.checkpoint(0.5, async () => {});
    await worker.stop(0);
  });

  it('and that its own worker claims again is stopped there first, and its second run is kept alive', async () => {
    const { storage, clock, queue } = await setup(databases);
    const handler = new Handler({ concurrency: 2 });
    const worker = queue.startWorker(handler.definition);
    await enqueue(storage, queue, 'one');
    await handler.startedCount(1);
    const first = handler.settle.get('one')!;
    await storage.db
      .updateTable('jobs')
      .set((eb) => ({ state: 'waiting', worker: null, lease_until: null, fence: eb('fence', '+', 1) }))
      .execute();
    await enqueue(storage, queue, 'wake', { runAt: clock.now() + 3600_000 });
    await handler.startedCount(2);
    expect((first.signal.reason as StopError).reason).toBe('lease_lost');
    await until(async () => worker.running === 1);
    clock.advance(10_000);
    await until(async () => (await rowOf(storage, 'one')).lease_until === clock.now() + 30_000);
    await handler.completeLast();
    await until(async () => worker.running === 0);
    expect(handler.started.length).toBe(2);
    await worker.stop(0);
  });

  it('keeps nobody else’s job from running when its own end can’t be stored', async () => {
    const { storage, clock, queue } = await setup(databases);
    const errors: string[] = [];
    await enqueue(storage, queue, 'bad');
    await storage.db
      .updateTable('jobs')
      .set({ state: 'running', worker: 'gone', lease_until: clock.now() - 1, attempts: 1, losses: 19 })
      .execute();
    await enqueue(storage, queue, 'good', { tenant: 'b' });
    const handler = new Handler({
      onDead: async () => {
        throw new Error('the hook stumbles');
      },
    });
    const worker = queue.startWorker(handler.definition, { onError: ({ message }) => errors.push(message) });
    await handler.startedCount(1);
    expect(handler.started[0]!.id).toBe('good');
    expect(errors).toEqual(['the hook stumbles']);
    expect(await rowOf(storage, 'bad')).toMatchObject({ state: 'running', losses: 19 });
    await worker.stop(0);
  });
});

onBothDatabases('nodes whose own clocks disagree', (databases) => {
  it('go by the database’s, and take nothing from each other', async () => {
    const { storage } = await setup(databases);
    const own = [new ManualClock(Date.now()), new ManualClock(Date.now() + 90_000)] as const;
    const clocks = await Promise.all(
      own.map((clock) => openSharedClock(storage, clock, new BackgroundTasks({ clock }))),
    );
    const disagree = databases.dialect === 'sqlite' ? 90_000 : 0;
    const apart = (clocks[1]?.now() as number) - (clocks[0]?.now() as number) - disagree;
    expect(Math.abs(apart)).toBeLessThan(10_000);
    if (databases.dialect === 'sqlite') return;
    const [behind, ahead] = clocks.map((clock) => new JobQueue(storage, clock)) as [JobQueue, JobQueue];
    const [first, second] = [new Handler(), new Handler()];
    const workers = [behind.startWorker(first.definition)];
    await enqueue(storage, behind, 'one');
    await first.startedCount(1);
    await enqueue(storage, behind, 'two', { tenant: 'b' });
    workers.push(ahead.startWorker(second.definition));
    await second.startedCount(1);
    expect(second.started[0]!.id).toBe('two');
    expect(await rowOf(storage, 'one')).toMatchObject({ state: 'running', losses: 0 });
    await Promise.all(workers.map((worker) => worker.stop(0)));
  });
});

onBothDatabases('a job that makes room for another of its id', (databases) => {
  it('leaves nothing that its late holders can do to the new one', async () => {
    const { storage, clock, queue } = await setup(databases);
    const late = new Handler();
    const frozen = new JobQueue(storage, new ManualClock(clock.now())).startWorker(late.definition);
    await enqueue(storage, queue, 'one');
    await late.startedCount(1);
    clock.advance(31_000);
    const second = new Handler();
    const next = queue.startWorker(second.definition);
    await second.startedCount(1);
    const job = { id: 'one', queue: 'later', tenant: 'a', payload: null };
    await second.started[0]!.complete((trx) => queue.enqueue(trx, job));
    second.settle.get('one')!.resolve();
    const third = new Handler({ queue: 'later' });
    const last = queue.startWorker(third.definition);
    await third.startedCount(1);
    await expect(late.started[0]!.complete(async () => {})).rejects.toThrow('lease');
    await third.completeLast();
    await Promise.all([frozen.stop(0), next.stop(0), last.stop(0)]);
    expect(await storage.db.selectFrom('jobs').selectAll().where('queue', '=', QUEUE).execute()).toEqual([]);
  });
});

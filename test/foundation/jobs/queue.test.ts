import { EventEmitter, once } from 'node:events';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import {
  JOB_PRIORITY,
  type JobDefinition,
  JobQueue,
  PermanentError,
  StopError,
} from '../../../src/foundation/jobs/index.ts';
import { until } from '../../poll.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { enqueue, Handler, QUEUE, rows, setup } from './handler.ts';

onBothDatabases('job queue', (databases) => {
  it('runs a job, and its outcome and its end are one', async () => {
    const { storage, clock, queue } = await setup(databases);
    await sql`create table outcomes (id text primary key)`.execute(storage.db);
    const handler = new Handler();
    const worker = queue.startWorker(handler.definition);
    await enqueue(storage, queue, 'one');
    await handler.startedCount(1);
    const job = handler.started[0]!;
    expect(job).toMatchObject({ id: 'one', tenant: 'a', payload: { id: 'one' }, attempt: 1 });
    await expect(
      job.complete(async (trx) => {
        await sql`insert into outcomes (id) values ('half')`.execute(trx);
        throw new Error('the result could not be stored');
      }),
    ).rejects.toThrow('could not be stored');
    expect(await rows(storage)).toMatchObject([{ id: 'one', state: 'running' }]);
    await job.complete(async (trx) => {
      await sql`insert into outcomes (id) values ('whole')`.execute(trx);
    });
    handler.settle.get('one')!.resolve();
    await worker.stop(1000);
    expect(await rows(storage)).toEqual([]);
    const { rows: outcomes } = await sql`select id from outcomes`.execute(storage.db);
    expect(outcomes).toEqual([{ id: 'whole' }]);
    clock.advance(0);
  });

  it('waits on a quiet server where it would reach the outside, and other jobs do not', async () => {
    const { storage, clock } = await setup(databases);
    const quiet = new JobQueue(storage, clock, { quiet: true });
    const inside = new Handler();
    const outside = new Handler();
    const outward = quiet.startWorker({ ...outside.definition, queue: 'outside', isOutbound: true });
    const inward = quiet.startWorker(inside.definition);
    await storage.transaction((trx) =>
      quiet.enqueue(trx, { id: 'out', queue: 'outside', tenant: 'a', payload: { id: 'out' } }),
    );
    await enqueue(storage, quiet, 'in');
    await inside.startedCount(1);
    clock.advance(60_000);
    expect(await rows(storage)).toMatchObject([
      { id: 'in', state: 'running' },
      { id: 'out', state: 'waiting' },
    ]);
    inside.settle.get('in')!.resolve();
    await Promise.all([inward.stop(1_000), outward.stop(1_000)]);
    expect(outside.started).toEqual([]);
    const later = new JobQueue(storage, clock).startWorker({ ...outside.definition, queue: 'outside' });
    await outside.startedCount(1);
    outside.settle.get('out')!.resolve();
    await later.stop(1_000);
  });

  it('does not exist when the transaction that asked for it fails', async () => {
    const { storage, queue } = await setup(databases);
    await storage
      .transaction(async (trx) => {
        await queue.enqueue(trx, { id: 'x', queue: QUEUE, tenant: 'a', payload: null });
        throw new Error('stop');
      })
      .catch(() => {});
    expect(await rows(storage)).toEqual([]);
  });

  it('takes smaller priorities first, then tenants in turns, then the oldest', async () => {
    const { storage, clock, queue } = await setup(databases);
    for (const id of ['a1', 'a2', 'a3', 'a4']) {
      await enqueue(storage, queue, id);
      clock.advance(1);
    }
    for (const id of ['b1', 'b2']) await enqueue(storage, queue, id, { tenant: 'b' });
    await enqueue(storage, queue, 'c1', { tenant: 'c', priority: JOB_PRIORITY.background });
    await enqueue(storage, queue, 'a0', { priority: JOB_PRIORITY.live });
    await enqueue(storage, queue, 'later', {
      tenant: 'd',
      priority: JOB_PRIORITY.live,
      runAt: clock.now() + 60_000,
    });
    const handler = new Handler();
    const worker = queue.startWorker(handler.definition);
    for (let count = 1; count <= 8; count += 1) {
      await handler.startedCount(count);
      await handler.completeLast();
    }
    expect(handler.started.map(({ id }) => id)).toEqual(['a0', 'a1', 'b1', 'a2', 'b2', 'a3', 'a4', 'c1']);
    await worker.stop(0);
    expect(await rows(storage)).toMatchObject([{ id: 'later' }]);
  });

  it('shares workers between tenants, and leaves none idle', async () => {
    const { storage, queue } = await setup(databases);
    for (let n = 0; n < 6; n += 1) await enqueue(storage, queue, `a${n}`);
    await enqueue(storage, queue, 'b0', { tenant: 'b' });
    const handler = new Handler({ concurrency: 4 });
    const worker = queue.startWorker(handler.definition);
    await handler.startedCount(4);
    expect(handler.started.map(({ id }) => id).sort()).toEqual(['a0', 'a1', 'a2', 'b0']);
    await worker.stop(0);
    expect((await rows(storage)).every(({ state, attempts }) => state === 'waiting' && attempts === 0)).toBe(
      true,
    );
  });

  it('gives no tenant more than it may have at a time', async () => {
    const { storage, queue } = await setup(databases);
    for (let n = 0; n < 6; n += 1) await enqueue(storage, queue, `a${n}`);
    const handler = new Handler({ concurrency: 4, perTenant: 2 });
    const worker = queue.startWorker(handler.definition);
    await handler.startedCount(2);
    await enqueue(storage, queue, 'b0', { tenant: 'b' });
    await handler.startedCount(3);
    expect(handler.started.map(({ id }) => id).sort()).toEqual(['a0', 'a1', 'b0']);
    const first = handler.started.find(({ id }) => id === 'a0')!;
    await first.complete(async () => {});
    handler.settle.get('a0')!.resolve();
    await handler.startedCount(4);
    expect(handler.started.at(-1)!.id).toBe('a2');
    await worker.stop(0);
  });

  it('gives each job to one of two workers', async () => {
    const { storage, queue } = await setup(databases);
    for (let n = 0; n < 30; n += 1) await enqueue(storage, queue, `j${n}`, { tenant: `t${n % 3}` });
    const ran: string[] = [];
    const all = new EventEmitter();
    const definition: JobDefinition = {
      queue: QUEUE,
      concurrency: 4,
      leaseMs: 30_000,
      run: async (job) => {
        await job.complete(async () => {});
        ran.push(job.id);
        if (ran.length === 30) all.emit('done');
      },
    };
    const done = once(all, 'done');
    const workers = [queue.startWorker(definition), queue.startWorker(definition)];
    await done;
    expect(new Set(ran).size).toBe(30);
    await Promise.all(workers.map((worker) => worker.stop(1000)));
    expect(await rows(storage)).toEqual([]);
  });

  it('tries again later after a fault, and lists and revives what died', async () => {
    const { storage, clock, queue } = await setup(databases);
    const revived: string[] = [];
    const handler = new Handler({
      backoffMs: (attempt) => attempt * 1000,
      onRevived: async (_trx, job) => {
        revived.push(job.id);
      },
    });
    const worker = queue.startWorker(handler.definition);
    await enqueue(storage, queue, 'one', { maxAttempts: 2 });
    await handler.startedCount(1);
    handler.failLast(new Error('first'));
    await until(async () => (await rows(storage))[0]?.state === 'waiting');
    expect(await rows(storage)).toMatchObject([{ attempts: 1, run_at: clock.now() + 1000 }]);
    await until(async () => {
      clock.advance(500);
      return handler.started.length === 2;
    });
    handler.failLast(new Error('second'));
    await until(async () => (await rows(storage))[0]?.state === 'dead');
    expect(handler.dead).toEqual(['one: second']);
    const { jobs } = await queue.dead(QUEUE, 10, null);
    expect(jobs).toMatchObject([{ id: 'one', state: 'dead', lastError: 'second', attempts: 2 }]);
    expect(await queue.retry('one')).toBe(true);
    expect(await queue.retry('one')).toBe(false);
    expect(revived).toEqual(['one']);
    await handler.startedCount(3);
    handler.failLast(new PermanentError('hopeless'));
    await until(async () => (await rows(storage))[0]?.state === 'dead');
    expect(handler.dead).toEqual(['one: second', 'one: hopeless']);
    await worker.stop(0);
  });

  it('keeps a lease while the worker lives, and counts tries from the last checkpoint', async () => {
    const { storage, clock, queue } = await setup(databases);
    const handler = new Handler();
    const worker = queue.startWorker(handler.definition);
    await enqueue(storage, queue, 'one');
    await handler.startedCount(1);
    const lease = async () =>
      (await storage.db.selectFrom('jobs').select('lease_until').executeTakeFirst())?.lease_until;
    const first = await lease();
    clock.advance(10_000);
    await until(async () => (await lease()) !== first);
    expect(await lease()).toBe(clock.now() + 30_000);
    await handler.started[0]!.checkpoint(0.25, async () => {});
    expect(await queue.view(storage.db, 'one')).toMatchObject({
      progress: 0.25,
      attempts: 1,
      state: 'running',
    });
    await worker.stop(0);
    expect(await rows(storage)).toMatchObject([{ state: 'waiting', attempts: 0 }]);
  });

  it('gives the job of a worker that fell silent to another, and refuses what the first still writes', async () => {
    const { storage, clock, queue } = await setup(databases);
    const silent = new Handler();
    const frozen = new ManualClock(clock.now());
    const first = new JobQueue(storage, frozen).startWorker(silent.definition);
    await enqueue(storage, queue, 'one');
    await silent.startedCount(1);
    clock.advance(31_000);
    const handler = new Handler();
    const second = queue.startWorker(handler.definition);
    await handler.startedCount(1);
    expect(handler.started[0]).toMatchObject({ id: 'one', attempt: 1 });
    for (const late of ['checkpoint', 'complete'] as const) {
      const store = async () => {
        throw new Error('must not be stored');
      };
      const refused =
        late === 'complete' ? silent.started[0]!.complete(store) : silent.started[0]!.checkpoint(1, store);
      await expect(refused).rejects.toThrow('lease');
    }
    frozen.advance(10_000);
    await until(async () => silent.settle.get('one')!.signal.aborted);
    expect((silent.settle.get('one')!.signal.reason as StopError).reason).toBe('lease_lost');
    await handler.completeLast();
    await first.stop(0);
    await second.stop(1000);
    expect(await rows(storage)).toEqual([]);
  });

  it('lets a job die whose workers always vanish, waits longer each time, and takes none of its tries', async () => {
    const { storage, clock, queue } = await setup(databases);
    await enqueue(storage, queue, 'one', { maxAttempts: 1 });
    const losses = 4;
    const waits: number[] = [];
    const vanish = async () => {
      const vanishing = new Handler({ maxLosses: losses });
      new JobQueue(storage, new ManualClock(clock.now())).startWorker(vanishing.definition);
      await vanishing.startedCount(1);
      expect(vanishing.started[0]!.attempt).toBe(1);
      clock.advance(31_000);
    };
    const recover = async () => {
      const handler = new Handler({ maxLosses: losses, concurrency: 0 });
      const worker = queue.startWorker(handler.definition);
      await until(async () => (await rows(storage))[0]?.state !== 'running');
      await worker.stop(0);
      return handler;
    };
    for (let loss = 1; loss < losses; loss += 1) {
      await vanish();
      await recover();
      const [row] = await rows(storage);
      expect(row).toMatchObject({ state: 'waiting', attempts: 0 });
      waits.push(row!.run_at - clock.now());
      clock.advance(waits.at(-1)!);
    }
    expect(waits.slice(0, 2)).toEqual([0, 0]);
    expect(waits[2]).toBeGreaterThan(1000);
    await vanish();
    expect((await recover()).dead).toEqual([expect.stringMatching(/Every attempt/)]);
    expect(await rows(storage)).toMatchObject([{ state: 'dead' }]);
  });

  it('counts lost workers anew after a checkpoint', async () => {
    const { storage, clock, queue } = await setup(databases);
    await enqueue(storage, queue, 'one');
    for (let turn = 0; turn < 4; turn += 1) {
      const vanishing = new Handler({ maxLosses: 2 });
      new JobQueue(storage, new ManualClock(clock.now())).startWorker(vanishing.definition);
      await vanishing.startedCount(1);
      await vanishing.started[0]!.checkpoint(turn / 10, async () => {});
      clock.advance(31_000);
    }
    const handler = new Handler({ maxLosses: 2 });
    const worker = queue.startWorker(handler.definition);
    await handler.startedCount(1);
    expect(handler.dead).toEqual([]);
    await worker.stop(0);
  });

  it('cancels: a waiting job is gone, a running one is stopped and can store nothing more', async () => {
    const { storage, queue } = await setup(databases);
    const handler = new Handler();
    const worker = queue.startWorker(handler.definition);
    await enqueue(storage, queue, 'one');
    await handler.startedCount(1);
    await enqueue(storage, queue, 'two');
    const cancel = (id: string) => storage.transaction((trx) => queue.cancel(trx, id));
    expect(await cancel('two')).toBe('removed');
    expect(await cancel('two')).toBe('unknown');
    expect(await cancel('one')).toBe('stopping');
    await expect(handler.started[0]!.complete(async () => {})).rejects.toThrow('lease');
    await until(async () => (await rows(storage)).length === 0);
    expect(handler.started.length).toBe(1);
    expect((handler.settle.get('one')!.signal.reason as StopError).reason).toBe('cancelled');
    expect(handler.dead).toEqual([]);
    await worker.stop(0);
  });

  it('postpones as a part of the plan', async () => {
    const { storage, clock, queue } = await setup(databases);
    const handler = new Handler();
    const worker = queue.startWorker(handler.definition);
    await enqueue(storage, queue, 'one');
    await handler.startedCount(1);
    await handler.started[0]!.postpone(clock.now() + 5000, async () => {});
    handler.settle.get('one')!.resolve();
    expect(await rows(storage)).toMatchObject([
      { state: 'waiting', attempts: 0, run_at: clock.now() + 5000 },
    ]);
    expect(await storage.transaction((trx) => queue.reschedule(trx, 'one', clock.now()))).toBe(true);
    await handler.startedCount(2);
    await worker.stop(0);
  });

  it('waits for running jobs when it stops, and puts back what is not done by the deadline', async () => {
    const { storage, clock, queue } = await setup(databases);
    const handler = new Handler({ concurrency: 2 });
    const worker = queue.startWorker(handler.definition);
    await enqueue(storage, queue, 'one');
    await handler.startedCount(1);
    await enqueue(storage, queue, 'two', { tenant: 'b' });
    await handler.startedCount(2);
    const stopped = worker.stop(10_000);
    await handler.completeLast();
    await until(async () => (await rows(storage)).length === 1);
    // The deadline passes only after the stop has begun to wait, because its timer exists only then.
    await until(async () => {
      clock.advance(2_500);
      return handler.settle.get('one')!.signal.aborted;
    });
    await stopped;
    expect(await rows(storage)).toMatchObject([{ id: 'one', state: 'waiting', attempts: 0 }]);
    expect(handler.started.map(({ id }) => id)).toEqual(['one', 'two']);
    expect(handler.settle.get('one')!.signal.reason).toBeInstanceOf(StopError);
  });

  it('counts its depths', async () => {
    const { storage, queue } = await setup(databases);
    await enqueue(storage, queue, 'one');
    await enqueue(storage, queue, 'two');
    expect(await queue.depths()).toEqual([{ queue: QUEUE, state: 'waiting', jobs: 2 }]);
  });
});

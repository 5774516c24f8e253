import PgBoss from 'pg-boss';
import { claimJobs } from '../../src/foundation/jobs/claim.ts';
import { JobQueue } from '../../src/foundation/jobs/index.ts';
import { waitingRow } from '../../src/foundation/jobs/rows.ts';
import { systemClock } from '../../src/foundation/platform/clock.ts';
import type { Storage } from '../../src/foundation/storage/index.ts';
import { median } from '../harness/index.ts';
import type { StorageBackend } from './storage-backends.ts';

const QUEUE = 'bench';
const ROWS_AT_ONCE = 500;

async function fill(storage: Storage, jobs: number, tenants: number): Promise<void> {
  const now = Date.now();
  for (let first = 0; first < jobs; first += ROWS_AT_ONCE) {
    const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, jobs - first) }, (_, at) =>
      waitingRow(
        {
          id: `job_${String(first + at).padStart(20, '0')}`,
          queue: QUEUE,
          tenant: `org_${(first + at) % tenants}`,
          payload: null,
        },
        now,
      ),
    );
    await storage.db.insertInto('jobs').values(rows).execute();
  }
}

export interface Costs {
  readonly enqueue: number;
  readonly cycle: number;
}

async function costs(storage: Storage, rounds: number): Promise<Costs> {
  const queue = new JobQueue(storage, systemClock);
  const enqueues: number[] = [];
  const cycles: number[] = [];
  const turns = new Map<number, string>();
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await storage.transaction((trx) =>
      queue.enqueue(trx, {
        id: `new_${round}_${began}`,
        queue: QUEUE,
        tenant: `org_${round % 7}`,
        payload: null,
      }),
    );
    enqueues.push(performance.now() - began);
    const asked = performance.now();
    const request = {
      queue: QUEUE,
      worker: 'w',
      limit: 1,
      now: Date.now(),
      leaseMs: 30_000,
      perTenant: Number.POSITIVE_INFINITY,
      perGroup: Number.POSITIVE_INFINITY,
      lastServed: turns,
    };
    const [row] = await storage.transaction((trx) => claimJobs(trx, storage.dialect, request), {
      isolation: 'read committed',
    });
    if (!row) throw new Error('the queue is empty');
    await storage.transaction(async (trx) => {
      await trx.deleteFrom('jobs').where('id', '=', row.id).where('fence', '=', row.fence).execute();
    });
    cycles.push(performance.now() - asked);
  }
  return { enqueue: median(enqueues), cycle: median(cycles) };
}

export interface QueueCost {
  readonly place: StorageBackend['name'];
  readonly waiting: number;
  readonly tenants: number;
  readonly empty: Costs;
  readonly full: Costs;
  readonly boss: Costs | null;
}

export interface QueueSizes {
  readonly waiting: number;
  readonly tenants: number;
  readonly rounds: number;
  readonly withBoss: boolean;
}

export async function queueCost(place: StorageBackend, sizes: QueueSizes): Promise<QueueCost> {
  const { waiting, tenants, rounds, withBoss } = sizes;
  const storage = await place.open();
  try {
    const empty = await costs(storage, rounds);
    await fill(storage, waiting, tenants);
    if (place.name === 'PostgreSQL')
      await storage.db.executeQuery({ sql: 'analyze jobs', parameters: [] } as never);
    const full = await costs(storage, rounds);
    const boss = place.url === null || !withBoss ? null : await bossCosts(place.url, waiting, rounds);
    return { place: place.name, waiting, tenants, empty, full, boss };
  } finally {
    await storage.close();
  }
}

async function bossCosts(url: string, waiting: number, rounds: number): Promise<Costs> {
  const boss = new PgBoss({ connectionString: url, schema: 'boss', supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue(QUEUE);
  for (let first = 0; first < waiting; first += 5000) {
    await boss.insert(
      Array.from({ length: Math.min(5000, waiting - first) }, () => ({ name: QUEUE, data: {} })),
    );
  }
  const enqueues: number[] = [];
  const cycles: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await boss.send(QUEUE, {});
    enqueues.push(performance.now() - began);
    const asked = performance.now();
    const [job] = await boss.fetch(QUEUE);
    if (!job) throw new Error('pg-boss has no job');
    await boss.complete(QUEUE, job.id);
    cycles.push(performance.now() - asked);
  }
  await boss.stop({ graceful: false, wait: false });
  return { enqueue: median(enqueues), cycle: median(cycles) };
}

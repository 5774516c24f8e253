/**
 * Jobs: the cost of the queue with 100,000 waiting jobs, deliveries a second, transcriptions an hour, diarization.
 *
 *     npm run bench -- jobs                     runs all parts, about ten minutes
 *     npm run bench -- jobs queue               runs one part; the report joins it to the stored others
 *     npm run bench -- jobs report              runs none; it writes the report again
 *     npm run bench -- jobs --quick             runs smaller parts
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runBench } from '../harness/index.ts';
import { PartStore } from '../hear/parts.ts';
import { deliveries, type Rate } from './deliveries.ts';
import { type QueueCost, queueCost } from './queue-cost.ts';
import { RECORDING, writeReport } from './report.ts';
import { measureSpeakers } from './speakers.ts';
import { postgresBackend, type StorageBackend, sqliteBackend } from './storage-backends.ts';
import { transcriptions } from './transcriptions.ts';

async function on<Result>(
  place: StorageBackend | null,
  measure: (place: StorageBackend) => Promise<Result>,
): Promise<readonly Result[]> {
  if (!place) {
    console.warn('PostgreSQL is not there: run this through scripts/with-services.mjs.');
    return [];
  }
  try {
    return [await measure(place)];
  } finally {
    await place.remove();
  }
}

async function measureQueue(waiting: number, rounds: number): Promise<readonly QueueCost[]> {
  const costs: QueueCost[] = [];
  for (const tenants of [20, 1000]) {
    const measure = (place: StorageBackend) =>
      queueCost(place, { waiting, tenants, rounds, withBoss: tenants === 20 });
    costs.push(...(await on(sqliteBackend(), measure)));
    costs.push(...(await on(await postgresBackend(`queue${tenants}`), measure)));
  }
  return costs;
}

async function measureDeliveries(count: number): Promise<readonly Rate[]> {
  const rates: Rate[] = [];
  for (const open of [async () => sqliteBackend(), () => postgresBackend('webhooks')]) {
    for (const silent of [false, true]) {
      rates.push(...(await on(await open(), (place) => deliveries(place, count, silent))));
    }
  }
  return rates;
}

const parts = (quick: boolean): Record<string, () => Promise<unknown>> => ({
  queue: () => measureQueue(quick ? 2_000 : 100_000, quick ? 20 : 60),
  deliveries: () => measureDeliveries(quick ? 100 : 1_000),
  transcriptions: () => transcriptions(RECORDING, quick ? [1] : [1, 2, 4]),
  speakers: () => measureSpeakers(quick ? 1 : Number.POSITIVE_INFINITY),
});
const OF_RECORDINGS = ['transcriptions', 'speakers'];
const REPORT = 'report';

await runBench('jobs', 'Jobs and webhooks', async (report, { quick, parts: chosen }) => {
  const store = new PartStore(join(process.cwd(), 'build-bench', quick ? 'quick/jobs' : 'jobs/parts'));
  const measures = parts(quick);
  const names = Object.keys(measures);
  for (const name of chosen) {
    if (name !== REPORT && !names.includes(name))
      throw new RangeError(`part: expected one of ${names.join(', ')}, received ${name}`);
  }
  for (const name of chosen.length > 0 ? chosen : names) {
    if (name === REPORT) continue;
    if (OF_RECORDINGS.includes(name) && !existsSync(RECORDING)) {
      console.warn(`${name} is not measured: the recording ${RECORDING} is absent.`);
      continue;
    }
    console.log(`${name}…`);
    store.keep(name, await measures[name]?.());
  }
  writeReport(report, store);
});

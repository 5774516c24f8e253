// npm run bench:jobs: what the queue costs when 100,000 jobs wait, deliveries a second, transcriptions an hour.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { barPlot, runBench } from '../harness/index.ts';
import { deliveries } from './deliveries.ts';
import { type Place, postgresPlace, sqlitePlace } from './place.ts';
import { type ClaimCost, queueCost } from './queue-cost.ts';
import { transcriptions } from './transcriptions.ts';

/** 33.6 s of read speech at the rate of a telephone. */
const RECORDING = join(process.cwd(), '../shared/speech/open_speech_repository/OSR_us_000_0034_8k.wav');
const RECORDING_SECONDS = 33.6;

async function on(place: Place | null, measure: (place: Place) => Promise<void>): Promise<boolean> {
  if (!place) return false;
  try {
    await measure(place);
  } finally {
    await place.remove();
  }
  return true;
}

await runBench('jobs', 'Jobs and webhooks', async (report, { quick }) => {
  const waiting = quick ? 2_000 : 100_000;
  const rounds = quick ? 20 : 60;
  report.heading('The queue');
  report.text(
    'Medians of single calls, one after another, each in a transaction of its own that is durable when it is answered. ' +
      'A claim finds whose turn it is between the tenants that wait.',
  );
  const claims: ClaimCost[] = [];
  for (const tenants of [20, 1000]) {
    const measure = async (place: Place) => {
      claims.push(await queueCost(report, place, waiting, tenants, rounds, tenants === 20));
    };
    await on(sqlitePlace(), measure);
    const there = await on(await postgresPlace(`queue${tenants}`), measure);
    if (!there) report.text('PostgreSQL was not there: run it through scripts/with-services.mjs.');
  }
  report.plot(
    'claim',
    'Claiming and completing one job while others wait',
    barPlot({
      title: 'Claim and complete a job',
      unit: 'ms, median',
      series: ['this queue', 'pg-boss'],
      groups: claims.map(({ label, ours, peer }) => ({ label, values: [ours, peer], goal: 10 })),
    }),
  );
  report.heading('Webhooks');
  const count = quick ? 100 : 1_000;
  const rates: { label: string; values: number[] }[] = [];
  for (const open of [sqlitePlace, () => postgresPlace('webhooks')]) {
    await on(await open(), async (place) => {
      const alone = await deliveries(report, place, count, false);
      rates.push({ label: place.name, values: [alone] });
    });
    await on(await open(), async (place) => {
      rates.at(-1)?.values.push(await deliveries(report, place, count, true));
    });
  }
  report.plot(
    'deliveries',
    'Deliveries a second, alone and beside receivers that never answer',
    barPlot({
      title: 'Webhook deliveries',
      unit: '1/s',
      series: ['all receivers answer', 'beside silent receivers'],
      groups: rates,
    }),
  );
  report.heading('Transcription jobs');
  if (!existsSync(RECORDING)) report.text(`Not measured: the recording ${RECORDING} is absent.`);
  else await transcriptions(report, RECORDING, RECORDING_SECONDS, quick ? [1] : [1, 2]);
});

/**
 * npm run bench -- fairness: measures what one hostile tenant costs a paying one, against the same tenant alone, in
 * the same run.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { percentile, type Report, runBench } from '../harness/index.ts';
import { needRecordings, readClip, spokenClips } from '../hear/clips.ts';
import { startService } from '../hear/service.ts';
import { HOSTILE_KEYS, sandboxKeys, startHostile } from './hostile-tenant.ts';
import { MEASURES, type PayingCustomer, serve } from './paying-customer.ts';

const RATE = 16_000;
/** The paying tenant's 95th percentile may grow by this share. */
const GROWTH = 0.2;

function reportFailures(report: Report, when: string, { failures }: PayingCustomer): void {
  const reported = [...new Set(failures)].slice(0, 5).join('; ');
  if (reported === '') return;
  console.error(`${failures.length} failures ${when}: ${reported}`);
  report.text(`Failures ${when} (${failures.length}): ${reported}`);
}

await runBench('fairness', 'One hostile tenant beside a paying one', async (report, { quick }) => {
  needRecordings();
  const clip = spokenClips().find(({ language, seconds }) => language === 'en' && seconds > 3 && seconds < 6);
  if (clip === undefined) throw new Error('no English recording of three to six seconds');
  const pcm = readClip(clip.path, RATE);
  const seconds = quick ? 20 : 120;
  const sockets = quick ? 500 : 10_000;
  const service = await startService({ TRUNKLINE_TRUSTED_PROXIES: '127.0.0.1' });
  let hostile: ChildProcess | null = null;
  try {
    await serve(service, pcm, RATE, quick ? 5 : 15);
    const alone = await serve(service, pcm, RATE, seconds);
    const keys = await sandboxKeys(service);
    hostile = await startHostile(service, keys, sockets);
    const concurrent = await serve(service, pcm, RATE, seconds);
    hostile.send('tell');
    const [reported] = (await once(hostile, 'message')) as [Record<string, number>];
    for (const [name, served] of Object.entries({ alone, 'beside it': concurrent })) {
      report.figure({
        name: `the paying tenant’s success, ${name}`,
        value: (100 * (served.asked - served.failures.length)) / served.asked,
        unit: '%',
        goal: { atLeast: 100 },
      });
    }
    reportFailures(report, 'alone', alone);
    reportFailures(report, 'beside the hostile tenant', concurrent);
    for (const measure of MEASURES) {
      const [was, is] = [alone, concurrent].map(({ times }) => percentile(times[measure], 0.95)) as [
        number,
        number,
      ];
      report.figure({ name: `${measure}, p95 alone`, value: was, unit: 'ms' });
      report.figure({
        name: `${measure}, p95 beside it`,
        value: is,
        unit: 'ms',
        goal: { atMost: was * (1 + GROWTH) },
      });
    }
    report.table(['what the hostile tenant got', 'count'], Object.entries(reported));
    report.text(
      `${seconds} s alone and ${seconds} s beside a sandbox account with ${HOSTILE_KEYS} keys, which holds every lane that it gets by keepalives, uploads a few ` +
        `bytes a second to clones, transcriptions and jobs, floods jobs and sign-in, and keeps ${sockets} sockets open without a word. ` +
        'Its own program runs with a niceness of 19, as its processor would be another machine’s; the server does all that it is asked.',
    );
  } finally {
    hostile?.kill('SIGKILL');
    service.stop();
  }
});

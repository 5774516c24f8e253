/**
 * A soak: mixed and hostile work over every served surface, and what the server holds meanwhile.
 *
 *     npm run soak                       two hours
 *     npm run soak -- --quick            five minutes
 *     TRUNKLINE_BENCH_MINUTES=30 npm run soak
 */
import { type Report, runBench } from '../harness/index.ts';
import { needRecordings, readClip, spokenClips } from '../hear/clips.ts';
import { type Service, startService } from '../hear/service.ts';
import { openHandles, residentMiB } from '../upload/process.ts';
import { CUSTOMERS, receiveEvents } from './customers.ts';
import { LINES } from './lines.ts';
import { SURFACES } from './surfaces.ts';
import { type Target, WORKS } from './work.ts';

const ALL = { ...WORKS, ...CUSTOMERS, ...SURFACES, ...LINES };

const AT_ONCE = 3;
const ENVIRONMENT = {
  TRUNKLINE_DEVICE: 'cpu',
  TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
  TRUNKLINE_TRUSTED_PROXIES: '127.0.0.1',
  TRUNKLINE_CARRIER: 'loopback',
};
/** Resident memory is told by its level after this share of a long run's two hours: ten minutes. */
const SETTLED_MINUTES = 10;
const GROWTH = 1.25;

interface Sample {
  readonly minute: number;
  readonly resident: number;
  readonly handles: number;
}

const fault = (status: number): boolean =>
  (status >= 500 && status < 600 && status !== 503) || status === 1011;

class Tally {
  readonly done = new Map<string, Map<number, number>>();

  add(name: string, status: number): void {
    const of = this.done.get(name) ?? new Map<number, number>();
    this.done.set(name, of.set(status, (of.get(status) ?? 0) + 1));
  }

  faults(): number {
    let sum = 0;
    for (const of of this.done.values()) for (const [status, count] of of) if (fault(status)) sum += count;
    return sum;
  }

  rows(): string[][] {
    return [...this.done].map(([name, of]) => [
      name,
      [...of].map(([status, count]) => `${status}: ${count}`).join(', '),
    ]);
  }
}

/** Each client takes the next kind of work when it has done one, so that kinds mix whatever each takes. */
async function client(target: Target, tally: Tally, next: () => string, until: number): Promise<void> {
  while (performance.now() < until) {
    const name = next();
    tally.add(name, await ALL[name]!(target).catch(() => -1));
  }
}

async function watch(service: Service, until: number): Promise<Sample[]> {
  const began = performance.now();
  const every = Math.min(60_000, (until - began) / 10);
  const samples: Sample[] = [];
  while (performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, every));
    samples.push({
      minute: (performance.now() - began) / 60_000,
      resident: residentMiB(service.pid),
      handles: openHandles(service.pid),
    });
  }
  return samples;
}

function write(report: Report, minutes: number, samples: readonly Sample[], tally: Tally): void {
  const settled = Math.min(SETTLED_MINUTES, minutes / 3);
  const level = samples.find(({ minute }) => minute >= settled) ?? samples[0]!;
  const last = samples.at(-1)!;
  const most = Math.max(...samples.filter(({ minute }) => minute >= settled).map((one) => one.resident));
  report.text(
    `${minutes} minutes, ${AT_ONCE} clients that each take the next of ${Object.keys(ALL).length} kinds of work. Memory is held against its level after ${settled.toFixed(1)} minutes (${level.resident.toFixed(0)} MiB).`,
  );
  report.table(
    ['minute', 'resident MiB', 'open files'],
    samples.map(({ minute, resident, handles }) => [minute.toFixed(1), resident.toFixed(0), handles]),
  );
  report.text('How each kind of work was answered (a status, or the code that a socket was closed with):');
  report.table(['work', 'answers'], tally.rows());
  const ratio = last.resident / level.resident;
  report.figure({
    name: 'resident memory at the end',
    value: ratio,
    unit: 'of its level',
    goal: { atMost: GROWTH },
  });
  report.figure({ name: 'most resident memory', value: most, unit: 'MiB' });
  report.figure({
    name: 'open files at the end',
    value: last.handles - level.handles,
    unit: 'more than then',
    goal: { atMost: 8 },
  });
  report.figure({
    name: 'faults of the server',
    value: tally.faults(),
    unit: 'answers',
    goal: { atMost: 0 },
  });
}

await runBench(
  'soak',
  'Soak: what a server holds after hours of mixed and hostile work',
  async (report, { quick }) => {
    needRecordings();
    const minutes = Number(process.env.TRUNKLINE_BENCH_MINUTES ?? (quick ? 5 : 120));
    const clip = spokenClips().find(
      ({ language, seconds }) => language === 'en' && seconds >= 6 && seconds <= 12,
    );
    const events = await receiveEvents();
    const service = await startService(ENVIRONMENT);
    try {
      const speech = readClip(clip!.path);
      const target: Target = { url: service.url, key: service.key, speech, events: events.url };
      const until = performance.now() + minutes * 60_000;
      const names = Object.keys(ALL);
      let at = 0;
      const next = () => names[at++ % names.length]!;
      const tally = new Tally();
      const [samples] = await Promise.all([
        watch(service, until),
        ...Array.from({ length: AT_ONCE }, () => client(target, tally, next, until)),
      ]);
      write(report, minutes, samples, tally);
    } finally {
      service.stop();
      events.stop();
    }
  },
);

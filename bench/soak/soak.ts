/**
 * A soak: mixed and hostile work over every served surface, with the resources of the server.
 *
 *     npm run soak                       runs two hours
 *     npm run soak -- --quick            runs five minutes
 *     TRUNKLINE_BENCH_MINUTES=30 npm run soak
 *     npm run soak -- cast omni          runs these kinds of work alone
 */
import { type Report, runBench } from '../harness/index.ts';
import { needRecordings, readClip, spokenClips } from '../hear/clips.ts';
import { type Service, startService } from '../hear/service.ts';
import { openHandles, residentMiB } from '../upload/process.ts';
import { APPS, MessagingProvider } from './apps.ts';
import { ASSISTANTS } from './assistants.ts';
import { CUSTOMERS, receiveEvents } from './customers.ts';
import { LINES } from './lines.ts';
import { openPhones, PHONES } from './phones.ts';
import { SURFACES } from './surfaces.ts';
import { SOAK_VISITS, type SoakOutcome, type SoakTarget, type SoakVisit } from './visits.ts';

const ALL: Record<string, SoakVisit> = {
  ...SOAK_VISITS,
  ...CUSTOMERS,
  ...SURFACES,
  ...LINES,
  ...PHONES,
  ...ASSISTANTS,
  ...APPS,
};

const AT_ONCE = 3;
const ENVIRONMENT = {
  TRUNKLINE_DEVICE: 'cpu',
  TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
  TRUNKLINE_TRUSTED_PROXIES: '127.0.0.1',
  TRUNKLINE_CARRIER: 'loopback',
  TRUNKLINE_MCP: 'true',
  TRUNKLINE_WEBRTC_ADDRESS: '127.0.0.1',
};
/** The level of resident memory counts after the first ten minutes. */
const SETTLED_MINUTES = 10;
const GROWTH = 1.25;

interface Sample {
  readonly minute: number;
  readonly resident: number;
  readonly handles: number;
}

const fault = (outcome: SoakOutcome): boolean =>
  typeof outcome === 'string' || (outcome >= 500 && outcome < 600 && outcome !== 503) || outcome === 1011;

interface Reported {
  readonly answers: Map<SoakOutcome, number>;
  longestMs: number;
}

class Tally {
  readonly #reported = new Map<string, Reported>();

  add(name: string, outcome: SoakOutcome, ms: number): void {
    const reported = this.#reported.get(name) ?? { answers: new Map<SoakOutcome, number>(), longestMs: 0 };
    reported.answers.set(outcome, (reported.answers.get(outcome) ?? 0) + 1);
    reported.longestMs = Math.max(reported.longestMs, ms);
    this.#reported.set(name, reported);
  }

  get kinds(): number {
    return this.#reported.size;
  }

  faults(): number {
    let sum = 0;
    for (const { answers } of this.#reported.values())
      for (const [outcome, count] of answers) if (fault(outcome)) sum += count;
    return sum;
  }

  rows(): string[][] {
    return [...this.#reported].map(([name, { answers, longestMs }]) => [
      name,
      [...answers].map(([outcome, count]) => `${outcome}: ${count}`).join(', '),
      (longestMs / 1000).toFixed(1),
    ]);
  }
}

/** Each client takes the next kind of work when it has done one, so that kinds mix whatever each takes. */
async function client(target: SoakTarget, tally: Tally, next: () => string, until: number): Promise<void> {
  while (performance.now() < until) {
    const name = next();
    const began = performance.now();
    const outcome = await ALL[name]!(target).catch(
      (error: Error) => `${error.message}: ${error.cause ?? ''}`,
    );
    tally.add(name, outcome, performance.now() - began);
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
    `${minutes} minutes, ${AT_ONCE} clients that each take the next of ${tally.kinds} kinds of work. Memory is held against its level after ${settled.toFixed(1)} minutes (${level.resident.toFixed(0)} MiB).`,
  );
  report.table(
    ['minute', 'resident MiB', 'open files'],
    samples.map(({ minute, resident, handles }) => [minute.toFixed(1), resident.toFixed(0), handles]),
  );
  report.text(
    'How each kind of work was answered (a status, or the code that a socket was closed with), and the longest that one took:',
  );
  report.table(['work', 'answers', 'longest s'], tally.rows());
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

function chosen(parts: readonly string[]): string[] {
  const unknown = parts.find((name) => !Object.hasOwn(ALL, name));
  if (unknown !== undefined) throw new Error(`there is no work ${unknown}: ${Object.keys(ALL).join(', ')}`);
  return parts.length > 0 ? [...parts] : Object.keys(ALL);
}

await runBench(
  'soak',
  'Soak: what a server holds after hours of mixed and hostile work',
  async (report, { quick, parts }) => {
    needRecordings();
    const minutes = Number(process.env.TRUNKLINE_BENCH_MINUTES ?? (quick ? 5 : 120));
    const clip = spokenClips().find(
      ({ language, seconds }) => language === 'en' && seconds >= 6 && seconds <= 12,
    );
    const events = await receiveEvents();
    const provider = await MessagingProvider.open();
    const phones = openPhones();
    const service = await startService({ ...ENVIRONMENT, TRUNKLINE_MSGAPP_URL: provider.url });
    try {
      const speech = readClip(clip!.path);
      const { url, key } = service;
      const target: SoakTarget = { url, key, speech, events: events.url, peers: phones.peers, provider };
      const until = performance.now() + minutes * 60_000;
      const names = chosen(parts);
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
      provider.stop();
      await phones.stop();
    }
  },
);

// npm run bench -- long-file: transcribes a file of hours as a job of the real server, which is killed half-way and
// started again. TRUNKLINE_BENCH_MINUTES sets the length; 240 is the limit of a plan.
import { mkdtempSync, openAsBlob, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linePlot, median, type Report, runBench } from '../harness/index.ts';
import { needRecordings } from '../hear/clips.ts';
import { type Score, scoreText } from '../hear/words.ts';
import { type LongFile, writeLongFile } from './long-audio.ts';
import { type StoredRow, type Watch, WatchedServer } from './watched-server.ts';

const MINUTES = Number(process.env.TRUNKLINE_BENCH_MINUTES ?? 10);
const LOOK_EVERY_MS = 1000;
const MEGABYTE = 2 ** 20;
/** Every model is loaded and every buffer has its size once this share was transcribed. */
const WARM = 0.05;

interface Job {
  readonly id: string;
  readonly status: string;
  readonly progress: number;
  readonly duration_s: number | null;
  readonly error?: string;
  readonly text: string | null;
  readonly words: readonly { readonly word: string; readonly start: number; readonly end: number }[];
  readonly segments: readonly { readonly start: number; readonly end: number; readonly text: string }[];
}

async function submit(server: WatchedServer, path: string): Promise<string> {
  const form = new FormData();
  form.append('output_formats', '["json","srt"]');
  form.append('file', await openAsBlob(path), 'call.wav');
  const answer = await server.ask('/v1/transcription/jobs', { method: 'POST', body: form });
  return ((await answer.json()) as Job).id;
}

const jobOf = async (server: WatchedServer, id: string): Promise<Job> =>
  (await (await server.ask(`/v1/transcription/jobs/${id}`)).json()) as Job;

/** Polls the job and the server's memory until `enough`; a poll costs one row. */
async function watch(server: WatchedServer, id: string, enough: (job: Job) => boolean): Promise<Job> {
  for (;;) {
    const job = await jobOf(server, id);
    server.look(job.progress);
    if (job.status === 'failed') throw new Error(`the job failed: ${job.error}`);
    if (enough(job)) return job;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

interface Outcome {
  readonly job: Job;
  readonly before: readonly StoredRow[];
  readonly after: readonly StoredRow[];
  readonly first: Watch;
  readonly second: Watch;
  /** Seconds from the second server's start to its first new stretch. */
  readonly resumed: number;
  readonly seconds: number;
}

async function runKilled(folder: string, file: LongFile): Promise<Outcome> {
  const server = new WatchedServer(folder);
  try {
    await server.start();
    const id = await submit(server, file.path);
    const began = performance.now();
    await watch(server, id, (job) => job.progress >= 0.5);
    await server.kill();
    const first = server.watch();
    const before = server.stretches(id);
    const again = performance.now();
    await server.start();
    await watch(
      server,
      id,
      (job) => job.status === 'completed' || server.stretches(id).length > before.length,
    );
    const resumed = (performance.now() - again) / 1000;
    const after = server.stretches(id);
    const job = await watch(server, id, ({ status }) => status === 'completed');
    const seconds = (performance.now() - began) / 1000;
    return { job, before, after, first, second: server.watch(), resumed, seconds };
  } finally {
    await server.kill();
  }
}

function scoreRounds(job: Job, file: LongFile): readonly Score[] {
  return file.rounds.map(({ start, end }) => {
    const heard = job.words.filter((word) => word.start >= start - 0.5 && word.start < end - 0.5);
    return scoreText(file.text, heard.map(({ word }) => word).join(' '), 'en');
  });
}

function reportResume(report: Report, outcome: Outcome, file: LongFile): void {
  const { job, before, after, resumed } = outcome;
  const stored = before.filter((row, at) => row.document === after[at]?.document).length;
  const killedAt = before.at(-1)?.end ?? 0;
  const next = after[before.length]?.start ?? killedAt;
  report.figure({ name: 'stretches done before the kill', value: before.length, unit: '' });
  report.figure({
    name: 'of them done again or changed after it',
    value: before.length - stored,
    unit: '',
    goal: { atMost: 0 },
  });
  report.figure({
    name: 'first stretch after the kill begins before the last one ended, by',
    value: Math.max(0, killedAt - next),
    unit: 's',
    goal: { atMost: 0 },
  });
  report.figure({ name: 'from the second start to the first new stretch', value: resumed, unit: 's' });
  const scores = scoreRounds(job, file).map(({ errors, words }) => errors / words);
  const holding = file.rounds.findIndex(({ start, end }) => killedAt >= start && killedAt < end);
  report.figure({ name: 'word error rate of a round, median', value: median(scores), unit: '' });
  report.figure({ name: 'word error rate of the worst round', value: Math.max(...scores), unit: '' });
  report.figure({
    name: 'word error rate of the round with the kill, less the median',
    value: (scores[holding] ?? 0) - median(scores),
    unit: '',
    goal: { atMost: 0.02 },
  });
  const backwards = job.segments.filter((one, at) => one.start < (job.segments[at - 1]?.end ?? 0) - 0.001);
  report.figure({
    name: 'segments that begin before the last one ended',
    value: backwards.length,
    unit: '',
    goal: { atMost: 0 },
  });
}

function reportMemory(report: Report, { first, second }: Outcome): void {
  const warm = first.looks.filter(({ progress }) => progress >= WARM).map(({ rss }) => rss);
  const peak = Math.max(first.peak, second.peak) / MEGABYTE;
  report.figure({ name: 'most memory of the server', value: peak, unit: 'MB', goal: { atMost: 2048 } });
  report.figure({
    name: `growth from ${WARM * 100} % to the kill`,
    value: (Math.max(...warm) - (warm[0] ?? 0)) / MEGABYTE,
    unit: 'MB',
    goal: { atMost: 200 },
  });
  const points = ({ looks }: Watch) => looks.map(({ progress, rss }) => ({ x: progress, y: rss / MEGABYTE }));
  report.plot(
    'memory',
    'Memory of the server over the progress of the job, before and after the kill',
    linePlot({
      title: 'Memory of the server',
      x: { label: 'progress of the job' },
      y: { label: 'MB' },
      series: [
        { name: 'before the kill', points: points(first) },
        { name: 'after it', points: points(second) },
      ],
    }),
  );
}

await runBench('long-file', 'A file of hours as one job', async (report, { quick }) => {
  needRecordings();
  const folder = mkdtempSync(join(tmpdir(), 'bench-long-file-'));
  try {
    const file = await writeLongFile(join(folder, 'call.wav'), (quick ? 6 : MINUTES) * 60);
    report.text(
      `A file of ${(file.seconds / 60).toFixed(0)} minutes: ${file.rounds.length} rounds of English read aloud, of ` +
        `${(file.seconds / file.rounds.length).toFixed(0)} s each, as 16 kHz wav. The server is killed with SIGKILL at half, started again on ` +
        'the same data, and left to end the job. Stretches are read from its database at the kill and when it goes on.',
    );
    const outcome = await runKilled(folder, file);
    const billed = Math.abs((outcome.job.duration_s ?? 0) - file.seconds);
    report.figure({ name: 'length of the file', value: file.seconds / 60, unit: 'min' });
    report.figure({ name: 'length billed is off by', value: billed, unit: 's', goal: { atMost: 0.1 } });
    report.figure({
      name: 'real-time factor, kill and second start within',
      value: outcome.seconds / file.seconds,
      unit: 's/s',
    });
    reportMemory(report, outcome);
    reportResume(report, outcome, file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

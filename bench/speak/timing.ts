import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, synthesizeJob } from '../../src/media/engine/index.ts';
import { median, percentile } from '../harness/index.ts';
import type { Section } from './parts.ts';
import { kokoroJs, PEER_TEXT, publishedGraph } from './peer.ts';
import { PROMPTS } from './prompts.ts';
import type { Speaker } from './served-surface.ts';
import { FASTEST, KOKORO, RATE, voice } from './voices.ts';

export async function timed(engine: Engine, text: string): Promise<{ first: number; factor: number }> {
  const began = performance.now();
  const options = { voice: voice(KOKORO), rate: RATE, format: 'pcm16' } as const;
  const job = engine.submit(synthesizeJob, options, Buffer.from(text));
  let [first, bytes] = [0, 0];
  for await (const chunk of job.chunks()) {
    first ||= performance.now() - began;
    bytes += chunk.length;
  }
  return { first, factor: (performance.now() - began) / 1000 / (bytes / 2 / RATE) };
}

export async function realTime(report: Section, speaker: Speaker): Promise<void> {
  report.heading('Against the published graph');
  report.text(
    `"${PEER_TEXT}" with the same weights in the same run: the product, the published graph on plain onnxruntime with two threads, and \`kokoro-js\` with its own text and phonemes. The first audio of both peers is their last.`,
  );
  const say = () => timed(speaker.engine, PEER_TEXT);
  await say();
  const ours = [];
  for (let run = 0; run < 7; run++) ours.push(await say());
  const published = await publishedGraph(7, 2);
  const js = kokoroJs(7);
  const product = {
    name: 'the product',
    factor: median(ours.map(({ factor }) => factor)),
    first: median(ours.map(({ first }) => first)),
  };
  const peers = [
    {
      name: 'published graph, onnxruntime',
      factor: published.ms / 1000 / published.seconds,
      first: published.ms,
    },
  ];
  if (typeof js === 'string') report.text(`\`kokoro-js\` could not run here: ${js}`);
  else {
    const name = `kokoro-js ${js.version}, onnxruntime ${js.runtime}`;
    peers.push({ name, factor: js.ms / 1000 / js.seconds, first: js.ms });
  }
  report.table(
    ['', 'real-time factor', 'first audio, ms'],
    [product, ...peers].map(({ name, factor, first }) => [name, factor, first]),
  );
  const best = peers.reduce((a, b) => (b.factor < a.factor ? b : a));
  report.figure({
    name: 'real-time factor, Kokoro, in process',
    value: product.factor,
    unit: '',
    goal: { atMost: 0.35 },
    peer: best.name,
    peerValue: best.factor,
  });
  report.figure({
    name: 'first audio, Kokoro, in process',
    value: product.first,
    unit: 'ms',
    peer: best.name,
    peerValue: best.first,
  });
}

export async function cancelled(report: Section, speaker: Speaker): Promise<void> {
  report.heading('Cancel');
  const times: number[] = [];
  let late = 0;
  for (let run = 0; run < 20; run++) {
    const stop = new AbortController();
    const text = PROMPTS.slice(10).join(' ');
    const job = speaker.engine.submit(
      synthesizeJob,
      { voice: voice(KOKORO), rate: RATE, format: 'pcm16' },
      Buffer.from(text),
      stop.signal,
    );
    let ordered = 0;
    try {
      for await (const _ of job.chunks()) {
        if (ordered > 0) {
          late = Math.max(late, performance.now() - ordered);
          continue;
        }
        // The reader is slow in every other run, so that chunks are waiting when the cancellation comes.
        if (run % 2 === 1) await sleep(600);
        ordered = performance.now();
        stop.abort();
      }
    } catch {}
    while (speaker.engine.stats().pool.running > 0) await new Promise((resolve) => setImmediate(resolve));
    times.push(performance.now() - ordered);
  }
  report.text(
    'Twenty times, after the first chunk, every other time by a reader who had not read for 0.6 s: the latest chunk that was handed out after the order, and until no step of the engine runs.',
  );
  report.figure({
    name: 'cancel: latest audio after the order',
    value: late,
    unit: 'ms',
    goal: { atMost: 20 },
  });
  report.figure({ name: 'cancel: until the work stops, p50', value: median(times), unit: 'ms' });
  report.figure({ name: 'cancel: until the work stops, p95', value: percentile(times, 0.95), unit: 'ms' });
}

export async function atOnce(report: Section, speaker: Speaker, quick: boolean): Promise<void> {
  report.heading('Streams at once');
  report.text(
    'Listeners who begin at their first chunk, all at the same time: the most of 1, 2, 3, 4, 6, 8, 12 and 16 of whom none waited more than 20 ms for a later chunk, in the median of three trials.',
  );
  const text = PROMPTS.slice(0, 4).join(' ');
  for (const name of [FASTEST, KOKORO]) {
    let carried = 0;
    for (const count of quick ? [1, 2] : [1, 2, 3, 4, 6, 8, 12, 16]) {
      const worst: number[] = [];
      for (let trial = 0; trial < 3; trial++) {
        const late = await Promise.all(Array.from({ length: count }, () => underrun(speaker, text, name)));
        worst.push(Math.max(...late));
      }
      if (median(worst) > 20) break;
      carried = count;
    }
    report.figure({ name: `streams at once without underrun, ${name}`, value: carried, unit: 'streams' });
  }
}

/** Returns the longest time, in ms, for which a listener who began at the first chunk waited for a later one. */
async function underrun(speaker: Speaker, text: string, name: string): Promise<number> {
  const job = speaker.engine.submit(
    synthesizeJob,
    { voice: voice(name), rate: RATE, format: 'pcm16' },
    Buffer.from(text),
  );
  let began = 0;
  let played = 0;
  let worst = 0;
  for await (const chunk of job.chunks()) {
    const now = performance.now();
    began ||= now;
    worst = Math.max(worst, now - began - played);
    played += (chunk.length / 2 / RATE) * 1000;
  }
  return worst;
}

// npm run bench -- knowledge [found] [scale]: measures whether passages are found for typed and spoken questions, and
// the cost of bases.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { Engine } from '../../src/media/engine/index.ts';
import { percentile, type Report, runBench } from '../harness/index.ts';
import { type Ask, plainBm25, vectorsAlone } from './peers.ts';
import { held, pagesAMinute } from './scale.ts';
import { spoken } from './spoken.ts';
import { docs, jargon, plain, type Question, questions, type Text } from './texts.ts';
import { removed, World } from './world.ts';

const OURS = 'this';
const AT = 5;
const DEPTH = 10;
/** A language that each embedding model serves. */
const MODELS = [
  ['en', 'minilm-l6'],
  ['de', 'e5-small'],
] as const;

interface Score {
  readonly recall: number;
  readonly ndcg: number;
  readonly p50: number;
  readonly p95: number;
  readonly missed: readonly string[];
}

/** Each passage with the answer has a gain of one; the ideal order has all of them first. */
function ndcg(hits: readonly boolean[]): number {
  const gain = (all: readonly boolean[]) =>
    all.reduce((sum, hit, at) => sum + (hit ? 1 / Math.log2(at + 2) : 0), 0);
  const ideal = gain([...hits].sort((a, b) => Number(b) - Number(a)));
  return ideal === 0 ? 0 : gain(hits) / ideal;
}

async function judge(ask: Ask, asked: readonly Question[], texts: readonly string[]): Promise<Score> {
  const [times, missed]: [number[], string[]] = [[], []];
  let [found, gained] = [0, 0];
  for (const [at, { phrase }] of asked.entries()) {
    const start = performance.now();
    const passages = await ask(texts[at] as string, DEPTH);
    times.push(performance.now() - start);
    const hits = passages.map((text) => plain(text).includes(phrase));
    if (hits.slice(0, AT).includes(true)) found += 1;
    else missed.push(texts[at] as string);
    gained += ndcg(hits);
  }
  const [recall, mean] = [(100 * found) / asked.length, gained / asked.length];
  return { recall, ndcg: mean, p50: percentile(times, 0.5), p95: percentile(times, 0.95), missed };
}

async function measureFound(report: Report, texts: readonly Text[], engine: Engine): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-knowledge-'));
  const world = await World.open(folder, engine);
  try {
    const base = await world.base('Texts');
    const given = texts.map(({ title, text }) => ({ name: title, bytes: Buffer.from(text) }));
    await world.fill(
      base,
      given.map((one) => ({ ...one, format: 'md' as const })),
    );
    const ours: Ask = async (question, most) =>
      (await world.ask(base, question, most)).map(({ heading, text }) => `${heading ?? ''} ${text}`);
    const systems = {
      [OURS]: ours,
      'plain BM25': plainBm25(texts),
      'vectors of fixed chunks': await vectorsAlone(texts, engine),
    };
    const all = questions(texts);
    const heard = await spoken(all.map(({ text }) => text));
    const published = all.flatMap((question, at) =>
      at % 2 === 1 ? [{ question, heard: heard[at] as string }] : [],
    );
    const tuned = all.flatMap((question, at) =>
      at % 2 === 0 ? [{ question, heard: heard[at] as string }] : [],
    );
    for (const [half, of] of [
      ['published', published],
      ['tuned', tuned],
    ] as const) {
      for (const way of ['typed', 'spoken'] as const) {
        const asked = of.map(({ question }) => question);
        const said = of.map((one) => (way === 'typed' ? one.question.text : one.heard));
        const scores = new Map<string, Score>();
        for (const [name, ask] of Object.entries(systems)) scores.set(name, await judge(ask, asked, said));
        if (half === 'tuned') reportTuned(way, scores);
        else notify(report, way, scores, said.length);
      }
    }
  } finally {
    await world.close();
    removed(folder);
  }
}

function reportTuned(way: string, scores: ReadonlyMap<string, Score>): void {
  for (const [name, { recall, ndcg: gain, missed }] of scores)
    console.log(
      `  ${way}, ${name}, half that is tuned on: ${recall.toFixed(1)} ${gain.toFixed(3)} ${name === OURS ? missed.join(' | ') : ''}`,
    );
}

function notify(report: Report, way: string, scores: ReadonlyMap<string, Score>, count: number): void {
  const mine = scores.get(OURS) as Score;
  const others = [...scores].filter(([name]) => name !== OURS);
  const [peer, theirs] = others.reduce((a, b) => (a[1].recall >= b[1].recall ? a : b));
  report.figure({
    name: `${way}: recall at ${AT}`,
    value: mine.recall,
    unit: '%',
    ...(way === 'spoken' ? { goal: { atLeast: Math.round(theirs.recall * 10) / 10 + 10 } } : {}),
    peer,
    peerValue: theirs.recall,
  });
  const [gainPeer, gain] = others.reduce((a, b) => (a[1].ndcg >= b[1].ndcg ? a : b));
  report.figure({
    name: `${way}: nDCG@${DEPTH}`,
    value: mine.ndcg,
    unit: '',
    peer: gainPeer,
    peerValue: gain.ndcg,
  });
  report.figure({ name: `${way}: time of a query, p50`, value: mine.p50, unit: 'ms' });
  report.heading(`${way === 'typed' ? 'Typed' : 'Spoken'}: ${count} questions`);
  report.table(
    ['way', 'recall at 5, %', 'nDCG@10', 'p50, ms', 'p95, ms'],
    [...scores].map(([name, { recall, ndcg: value, p50, p95 }]) => [
      name,
      recall.toFixed(1),
      value.toFixed(3),
      p50.toFixed(1),
      p95.toFixed(1),
    ]),
  );
  report.text(
    `Not found among the first five: ${mine.missed.map((text) => `"${text}"`).join(', ') || 'none'}.`,
  );
}

async function measureScale(
  report: Report,
  texts: readonly Text[],
  engine: Engine,
  quick: boolean,
): Promise<void> {
  const rate = await pagesAMinute(texts, engine, quick ? 50 : 500);
  report.figure({ name: 'pages of PDF indexed', value: rate, unit: 'a minute', goal: { atLeast: 500 } });
  const asked = questions(texts).map(({ text }) => text);
  for (const [language, model] of MODELS) {
    const count = quick ? 5_000 : 125_000;
    const { chunks, megabytes, milliseconds, firstMs } = await held(texts, asked, engine, count, language);
    report.figure({ name: `${model}: chunks held`, value: chunks, unit: '' });
    report.figure({
      name: `${model}: memory of these chunks`,
      value: megabytes,
      unit: 'MB',
      goal: { below: 400 },
    });
    report.figure({
      name: `${model}: query of these chunks, p50`,
      value: percentile(milliseconds, 0.5),
      unit: 'ms',
    });
    report.figure({
      name: `${model}: query of these chunks, p95`,
      value: percentile(milliseconds, 0.95),
      unit: 'ms',
      goal: { below: 50 },
    });
    report.figure({ name: `${model}: first query after a start`, value: firstMs, unit: 'ms' });
  }
}

await runBench('knowledge', 'Knowledge bases', async (report, { quick, parts }) => {
  const files = Object.entries(new Models().wholeFiles()).filter(([path]) => /minilm|e5-small/.test(path));
  const engine = new Engine({ models: Object.fromEntries(files), device: 'cpu' });
  const awake = setInterval(() => {}, 60_000);
  try {
    await engine.prepared();
    const texts = [...docs(), ...jargon()];
    report.text(
      "Texts: the project's documentation and the Jargon File 4.4.7 (public domain; Debian's jargon-text). A passage answers where it holds the words that answer. " +
        'Questions are said by two voices of Speak at 8 kHz with eight bits a sample and written down by Hear; real callers are heard worse. Half of the questions is for tuning; the figures are of the other half. ' +
        'Peers search chunks of 1,000 characters, 200 of them of the one before; their passages are longer than ours. Vectors of the many chunks are random, which costs what real ones cost.',
    );
    if (parts.length === 0 || parts.includes('found')) await measureFound(report, texts, engine);
    if (parts.length === 0 || parts.includes('scale')) await measureScale(report, texts, engine, quick);
  } finally {
    clearInterval(awake);
    engine.destroy();
  }
});

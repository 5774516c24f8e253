/** Streams at real time: first words, endpoints, finals, and what a stream costs. */
import { type FigureInput, linePlot, percentile, type Report } from '../harness/index.ts';
import { type Clip, overTelephone, readClip, speechBounds, spokenClips, thin } from './clips.ts';
import { type Service, startService } from './service.ts';
import { type Streamed, streamClip } from './stream-client.ts';
import { plainWords, pooled, type Score, scoreText } from './words.ts';

const LEAD_SECONDS = 0.5;
const TAIL_SECONDS = 2;

interface Path {
  readonly name: string;
  readonly rate: number;
  readonly read: (path: string) => Buffer;
}

const WIDE: Path = { name: '16 kHz', rate: 16000, read: (path) => readClip(path) };
const TELEPHONE: Path = { name: '8 kHz u-law', rate: 8000, read: overTelephone };

interface Said {
  readonly clip: Clip;
  readonly streamed: Streamed;
  /** Seconds from the stream's start. */
  readonly start: number;
  readonly end: number;
}

async function say(service: Service, path: Path, clip: Clip): Promise<Said> {
  const silence = (seconds: number) => Buffer.alloc(Math.round(seconds * path.rate) * 2);
  const bounds = speechBounds(readClip(clip.path), 16000);
  const pcm = Buffer.concat([silence(LEAD_SECONDS), path.read(clip.path), silence(TAIL_SECONDS)]);
  const query = { language: 'en', endpointing_ms: '300' };
  const streamed = await streamClip(service, pcm, path.rate, query);
  return { clip, streamed, start: LEAD_SECONDS + bounds.start, end: LEAD_SECONDS + bounds.end };
}

/** `streams` callers at once, each with the next clip as soon as it is free. */
async function sayAll(
  service: Service,
  path: Path,
  clips: readonly Clip[],
  streams: number,
): Promise<Said[]> {
  const said: Said[] = [];
  let next = 0;
  const caller = async () => {
    while (next < clips.length) said.push(await say(service, path, clips[next++]!));
  };
  await Promise.all(Array.from({ length: streams }, caller));
  return said;
}

interface Summary {
  readonly toFinal: number[];
  readonly firstPartial: number[];
  readonly emission: number[];
  readonly wrongFirst: number;
  readonly partialed: number;
  readonly cut: number;
  readonly unfinished: number;
  readonly score: Score[];
}

function summarize(all: readonly Said[]): Summary {
  const out = {
    toFinal: [] as number[],
    firstPartial: [] as number[],
    emission: [] as number[],
    score: [] as Score[],
  };
  let wrongFirst = 0;
  let partialed = 0;
  let cut = 0;
  let unfinished = 0;
  for (const { clip, streamed, start, end } of all) {
    const of = (type: string) => streamed.arrived.filter((one) => one.frame.type === type);
    const finals = of('final');
    const text = finals.map((one) => one.frame.text).join(' ');
    out.score.push(scoreText(clip.text, text, 'en'));
    // An endpoint before the true end: the speaker was cut short.
    if (of('speech_final').some((one) => one.frame.endpoint_reason === 'silence' && one.at < end * 1000))
      cut += 1;
    const last = finals.filter((one) => one.frame.text !== '').at(-1);
    if (last?.frame.endpoint_reason !== 'silence') unfinished += 1;
    else out.toFinal.push(last.at - end * 1000);
    const partial = streamed.arrived.find(
      (one) => /^(partial|speech_final)/.test(one.frame.type) && one.frame.text,
    );
    if (!partial) continue;
    partialed += 1;
    const heard = plainWords(partial.frame.text, 'en')[0];
    const truth = plainWords(text, 'en')[0];
    const right =
      heard !== undefined &&
      truth !== undefined &&
      (heard === truth || plainWords(clip.text, 'en')[0] === heard);
    if (right) out.firstPartial.push(partial.at - start * 1000);
    else wrongFirst += 1;
    out.emission.push(...emissions(streamed));
  }
  return { ...out, wrongFirst, partialed, cut, unfinished };
}

/** For each word of a final: when it was first shown in its place, less when it had been said. */
function emissions(streamed: Streamed): number[] {
  const delays: number[] = [];
  for (const { frame } of streamed.arrived.filter((one) => one.frame.type === 'final')) {
    const mine = streamed.arrived.filter(
      (one) => one.frame.utterance_id === frame.utterance_id && one.frame.text,
    );
    for (const [index, word] of frame.words.entries()) {
      const plain = plainWords(word.word, 'en').join(' ');
      const shown = mine.find(
        (one) => plainWords(one.frame.text.split(' ')[index] ?? '', 'en').join(' ') === plain,
      );
      if (shown) delays.push(shown.at - word.end * 1000);
    }
  }
  return delays;
}

const ms = (values: readonly number[], at: number) =>
  values.length === 0 ? Number.NaN : percentile(values, at / 100);
const show = (value: number) => (Number.isFinite(value) ? Math.round(value).toString() : '-');

export interface LiveSizes {
  readonly seconds: number;
  readonly streams: number;
  readonly atOnce: readonly number[];
  readonly secondsEach: number;
}

export async function measureLive(report: Report, sizes: LiveSizes): Promise<void> {
  const clips = spokenClips().filter(
    (clip) => clip.language === 'en' && clip.seconds >= 1 && clip.seconds <= 15,
  );
  const service = await startService({ TRUNKLINE_DEVICE: 'cpu' });
  try {
    await sayAll(service, WIDE, clips.slice(0, 1), 1);
    report.heading('Streams at real time');
    const rows: (string | number)[][] = [];
    for (const path of [WIDE, TELEPHONE]) {
      const summary = summarize(await sayAll(service, path, thin(clips, sizes.seconds), sizes.streams));
      rows.push(rowOf(path.name, summary));
      figures(report, path, summary);
    }
    report.text(
      `Each clip has ${LEAD_SECONDS} s of silence before and ${TAIL_SECONDS} s after it; endpointing_ms=300, language=en, ${sizes.streams} streams at once. The true end is that of the clean recording's level (35 dB under its 95th percentile, two guard frames). Times in ms; a word is emitted when it is first shown in its place.`,
    );
    report.table(COLUMNS, rows);
    await density(report, service, clips, sizes);
  } finally {
    service.stop();
  }
}

const COLUMNS = [
  'path',
  'clips',
  'word error',
  'to final p50',
  'p95',
  'p99',
  'not finalised',
  'cut short',
  'first partial p50',
  'p95',
  'wrong first',
  'word emission p50',
  'p95',
];

function rowOf(name: string, summary: Summary): (string | number)[] {
  const { toFinal, firstPartial, emission, score } = summary;
  return [
    name,
    score.length,
    `${(pooled(score) * 100).toFixed(1)} %`,
    ...[50, 95, 99].map((at) => show(ms(toFinal, at))),
    summary.unfinished,
    summary.cut,
    ...[50, 95].map((at) => show(ms(firstPartial, at))),
    `${summary.wrongFirst} of ${summary.partialed}`,
    ...[50, 95].map((at) => show(ms(emission, at))),
  ];
}

/** What was never seen has no value: the table says so, and no figure is made up. */
function figures(given: Report, path: Path, summary: Summary): void {
  const report = { figure: (input: FigureInput) => Number.isFinite(input.value) && given.figure(input) };
  const { toFinal, firstPartial, score } = summary;
  const goal = path === WIDE;
  report.figure({ name: `word error, streams, ${path.name}`, value: pooled(score), unit: 'of words' });
  report.figure({
    name: `time to final p50, ${path.name}`,
    value: ms(toFinal, 50),
    unit: 'ms',
    ...(goal ? { goal: { atMost: 350 } } : {}),
  });
  report.figure({
    name: `time to final p95, ${path.name}`,
    value: ms(toFinal, 95),
    unit: 'ms',
    ...(goal ? { goal: { atMost: 600 } } : {}),
  });
  report.figure({
    name: `utterances not finalised, ${path.name}`,
    value: summary.unfinished / score.length,
    unit: 'of clips',
    ...(goal ? { goal: { atMost: 0 } } : {}),
  });
  report.figure({
    name: `utterances cut short, ${path.name}`,
    value: summary.cut / score.length,
    unit: 'of clips',
    ...(goal ? { goal: { atMost: 0.05 } } : {}),
  });
  report.figure({
    name: `first partial with the right first word p50, ${path.name}`,
    value: ms(firstPartial, 50),
    unit: 'ms',
    ...(goal ? { goal: { atMost: 800 } } : {}),
  });
  report.figure({
    name: `first partials with a wrong first word, ${path.name}`,
    value: summary.wrongFirst / Math.max(1, summary.partialed),
    unit: 'of clips',
  });
}

/** More and more streams, until finals are late. */
async function density(
  report: Report,
  service: Service,
  clips: readonly Clip[],
  sizes: LiveSizes,
): Promise<void> {
  const points: { x: number; y: number }[] = [];
  const rows: (string | number)[][] = [];
  let most = 0;
  let cpuEach = Number.NaN;
  for (const streams of sizes.atOnce) {
    const before = service.cpuSeconds();
    const began = performance.now();
    const summary = summarize(await sayAll(service, WIDE, thin(clips, streams * sizes.secondsEach), streams));
    const cpu = (service.cpuSeconds() - before) / ((performance.now() - began) / 1000) / streams;
    const p99 = ms(summary.toFinal, 99);
    points.push({ x: streams, y: p99 });
    rows.push([streams, show(ms(summary.toFinal, 50)), show(p99), `${(cpu * 100).toFixed(1)} %`]);
    if (p99 > 1000) break;
    most = streams;
    cpuEach = cpu;
  }
  report.table(['streams at once', 'to final p50', 'p99', 'of a core a stream'], rows);
  report.plot(
    'density',
    'Time to final against streams at once',
    linePlot({
      title: 'Time to final, p99',
      x: { label: 'streams at once' },
      y: { label: 'ms' },
      series: [{ name: 'p99', points }],
      goals: [{ y: 1000, label: '1 s' }],
    }),
  );
  report.figure({
    name: 'English streams at once with p99 time to final under 1 s',
    value: most,
    unit: 'streams',
    goal: { atLeast: 8 },
  });
  if (Number.isFinite(cpuEach))
    report.figure({ name: 'processor a stream, at that number', value: cpuEach, unit: 'of a core' });
}

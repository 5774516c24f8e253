import { median } from '../harness/index.ts';
import type { Section } from './parts.ts';
import { PROMPTS, ROUND_TRIP } from './prompts.ts';
import type { Speaker } from './served-surface.ts';
import { activeDb, bandLevels, clausesOf, seamClick } from './sound.ts';
import { EVERY_VOICE, FASTEST, KOKORO, RATE, voice } from './voices.ts';

const CLAUSES =
  'Yes, of course. Thank you for waiting, I have found your booking. It is for two nights, and breakfast is included. Hello? I can change it now, if you like; it costs nothing. Good. The new date is Thursday, the fourth of March.';
const JOINED = ['joe_en_us', 'heart_en_us', 'michael_en_us', 'bella_en_us', 'emma_en_gb'];

const dbfs = (size: number): number => 20 * Math.log10(Math.max(size, 1e-6));

async function windows(report: Section, speaker: Speaker): Promise<void> {
  report.text(
    'The same clause by windows of the smallest size and by one window: the largest difference anywhere bounds what any seam between windows can add (−120 dBFS: none at all).',
  );
  const text = 'I can check your booking and send you a confirmation.';
  for (const name of [KOKORO, FASTEST]) {
    const small = await speaker.say(text, voice(name), { window: 16 });
    const large = await speaker.say(text, voice(name), { window: 4000 });
    let difference = small.length === large.length ? 0 : 1;
    small.forEach((sample, i) => {
      difference = Math.max(difference, Math.abs(sample - (large[i] ?? 0)));
    });
    report.figure({
      name: `seams between windows: largest difference, ${name}`,
      value: dbfs(difference),
      unit: 'dBFS',
      goal: { below: -50 },
    });
  }
}

export async function clauses(report: Section, speaker: Speaker): Promise<void> {
  report.text(
    `Between clauses: the power of what changes fast (the second difference, 0 dB at 6 kHz and less below) in the millisecond on either side of every silence in "${CLAUSES}", the worst of a voice; and how far each clause's loudness lies from their median.`,
  );
  const rows: (string | number)[][] = [];
  let [click, spread] = [-120, 0];
  for (const name of JOINED) {
    const samples = await speaker.say(CLAUSES, voice(name), { rate: 24_000 });
    const found = clausesOf(samples, RATE);
    const worst = Math.max(
      ...found.flatMap(({ from, to }) => [seamClick(samples, from), seamClick(samples, to)]),
    );
    const levels = found.map(({ from, to }) => activeDb(samples.subarray(from, to), RATE));
    const middle = median(levels);
    const furthest = Math.max(...levels.map((level) => Math.abs(level - middle)));
    rows.push([name, found.length, worst, furthest]);
    [click, spread] = [Math.max(click, worst), Math.max(spread, furthest)];
  }
  report.table(['voice', 'clauses', 'worst seam, dBFS', 'furthest from the median, dB'], rows);
  report.figure({
    name: 'seams between clauses: click energy, the worst of five voices',
    value: click,
    unit: 'dBFS',
    goal: { below: -50 },
  });
  report.figure({
    name: 'loudness from clause to clause, the worst of five voices',
    value: spread,
    unit: 'dB',
    goal: { atMost: 1 },
  });
}

async function prompts(report: Section, speaker: Speaker): Promise<void> {
  for (const name of [KOKORO, FASTEST]) {
    const levels: number[] = [];
    for (const prompt of PROMPTS.slice(0, 10))
      levels.push(activeDb(await speaker.say(prompt, voice(name)), RATE));
    const middle = median(levels);
    report.figure({
      name: `loudness over ten prompts, furthest from their median, ${name}`,
      value: Math.max(...levels.map((level) => Math.abs(level - middle))),
      unit: 'dB',
      goal: { atMost: 1 },
    });
  }
  const levels: number[] = [];
  for (const name of EVERY_VOICE)
    levels.push(activeDb(await speaker.say(ROUND_TRIP[voice(name).language]![0]!, voice(name)), RATE));
  report.figure({
    name: 'loudness of all voices, furthest from -20 dBFS',
    value: Math.max(...levels.map((level) => Math.abs(level + 20))),
    unit: 'dB',
  });
}

async function colour(report: Section, speaker: Speaker): Promise<void> {
  const distances: number[] = [];
  for (const name of [KOKORO, 'michael_en_us', 'bella_en_us']) {
    for (const prompt of ['Yes.', 'Hello there.', ...PROMPTS.slice(2, 8)]) {
      const streamed = bandLevels(await speaker.say(prompt, voice(name)), RATE);
      const whole = bandLevels(await speaker.say(prompt, voice(name), { whole: true }), RATE);
      const squares = streamed.map((level, i) => (level - whole[i]!) ** 2);
      distances.push(Math.sqrt(squares.reduce((a, b) => a + b, 0) / squares.length));
    }
  }
  report.figure({
    name: 'spectral distance, streamed to whole utterance, median of 24',
    value: median(distances),
    unit: 'dB',
  });
  report.figure({
    name: 'spectral distance, streamed to whole utterance, worst of 24',
    value: Math.max(...distances),
    unit: 'dB',
  });
}

export async function quality(report: Section, speaker: Speaker): Promise<void> {
  report.heading('Seams and loudness');
  await windows(report, speaker);
  await clauses(report, speaker);
  await prompts(report, speaker);
  await colour(report, speaker);
}

// npm run bench -- capture [text] [records] [records-sound] [sound]: measures exact values by kind, after the first answer and after the
// dialogue. In text, words are misheard at a rate, half of them unnoticed; in audio, voices answer over a line, after
// the first answer alone.

import { randomFrom } from '../../src/foundation/platform/seeded-random.ts';
import { type Report, runBench } from '../harness/index.ts';
import { capture } from './caller.ts';
import { measureRecords } from './records.ts';
import { measureRecordsSpoken } from './records-spoken.ts';
import { measureSpoken } from './spoken.ts';
import { KINDS, trialOf } from './values.ts';

const ERRORS = 0.04;
const TRIALS = { whole: 2_000, quick: 200 };
const RECORD_TRIALS = 60;
const SEED = 20_261_121;

function measure(report: Report, trials: number): void {
  const random = randomFrom(SEED);
  const rows = KINDS.map((kind) => {
    const [counts, turns] = [{ first: 0, exact: 0, silent: 0 }, [] as number[]];
    for (let trial = 0; trial < trials; trial++) {
      const asked = trialOf(kind, random);
      const { result, turns: taken, first } = capture(asked, ERRORS, random);
      const value = 'value' in result ? result.value : null;
      counts.first += Number(first === asked.value);
      counts.exact += Number(value === asked.value);
      counts.silent += Number(value !== null && value !== asked.value);
      turns.push(taken);
    }
    const share = (count: number): number => (100 * count) / trials;
    const unit = '%';
    report.figure({ name: `${kind} exact after the first answer`, value: share(counts.first), unit });
    report.figure({
      name: `${kind} exact after the dialogue`,
      value: share(counts.exact),
      unit,
      goal: { atLeast: 95 },
    });
    report.figure({
      name: `${kind} silent errors`,
      value: share(counts.silent),
      unit,
      goal: { atMost: 0.5 },
    });
    const mean = turns.reduce((sum, one) => sum + one, 0) / trials;
    return [kind, share(counts.first), share(counts.exact), share(counts.silent), mean].map((cell) =>
      typeof cell === 'number' ? cell.toFixed(1) : cell,
    );
  });
  report.heading('In text');
  report.text(
    `${trials} values a kind, said by a caller whose words are misheard at ${ERRORS * 100} % of those that sound like another; half of them with a low ` +
      'confidence. The caller agrees only to the right value and corrects by place, or by saying all anew. No sound is in it: how often words are misheard is an assumption.',
  );
  report.table(['kind', 'first answer, %', 'after the dialogue, %', 'silent errors, %', 'answers'], rows);
}

await runBench('capture', 'Exact capture', async (report, { quick, parts }) => {
  const has = (part: string): boolean => parts.length === 0 || parts.includes(part);
  if (has('text')) measure(report, quick ? TRIALS.quick : TRIALS.whole);
  if (has('records')) measureRecords(report, randomFrom(SEED + 2), quick ? 20 : RECORD_TRIALS);
  if (has('records-sound')) await measureRecordsSpoken(report, randomFrom(SEED + 3), quick);
  if (has('sound')) await measureSpoken(report, randomFrom(SEED + 1), quick);
});

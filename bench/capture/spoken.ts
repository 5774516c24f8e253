import { Models } from '../../src/foundation/platform/models/index.ts';
import {
  advanceCapture,
  beginCapture,
  type CaptureKind,
  exampleAnswer,
} from '../../src/language/capture/index.ts';
import { Engine, speechSettings } from '../../src/media/engine/index.ts';
import type { Report } from '../harness/index.ts';
import { VOICES } from '../omni/corpus.ts';
import { CaptureLane, overLine, say } from './noisy-line.ts';
import { recorded } from './recorded.ts';
import { KINDS, type Random, type Trial, trialOf } from './values.ts';

const GROUPS: Partial<Readonly<Record<CaptureKind, readonly number[]>>> = {
  phone: [3, 3, 4],
  digits: [4, 4, 4, 4],
  code: [1, 1, 1, 1, 1, 1],
};
/** The counts apply to each kind with an example; kinds without one run once and get half as many. */
const VALUES = { whole: 28, quick: 8 };
const LANES = 3;
const ELSEWHERE = 'something else';
const ELSE = [
  "I don't have it with me right now.",
  'Could you say that again, please?',
  'Why do you need to know that?',
  'Just a second, let me find my card.',
  'I would like to speak to somebody else.',
  'No, that is not what I called about.',
  'My wife has the paper, she comes home tonight.',
];

interface Answer {
  readonly of: string;
  readonly trial: Trial;
  readonly text: string;
  readonly line: Int16Array;
  readonly example: string | null;
}

interface Reported {
  readonly answer: Answer;
  readonly helped: boolean;
  readonly right: boolean;
}

function textOf({ request, words }: Trial): string {
  let at = 0;
  const groups = (GROUPS[request.kind] ?? [words.length]).map((size) => {
    at += size;
    return words.slice(at - size, at).join(' ');
  });
  return `${groups.join(', ')}.`;
}

function understood({ request }: Trial, finals: readonly string[]): string | null {
  let current = beginCapture(request);
  for (const text of finals) {
    if (current.kind === 'ask') current = advanceCapture(current.state, { kind: 'said', said: { text } });
  }
  if (current.kind === 'done') return 'value' in current.result ? current.result.value : null;
  return current.state.phase.at === 'confirming' ? current.state.phase.reading.value : null;
}

const exampleFor = ({ request }: Trial): string | null => {
  const first = beginCapture(request);
  return first.kind === 'ask' ? exampleAnswer(first.state) : null;
};

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .trim();

async function answersBy(engine: Engine, random: Random, values: number): Promise<Answer[]> {
  const voices = VOICES['held-out'];
  const answers: Answer[] = [];
  const add = async (of: string, trial: Trial, text: string, example: string | null): Promise<void> => {
    const number = answers.length;
    const said = await say(engine, voices[number % voices.length] as string, text);
    if (said !== null) answers.push({ of, trial, text, example, line: overLine(said, number * 7_919 + 13) });
  };
  for (const { trial, text, samples } of recorded(values < VALUES.whole ? 2 : 60)) {
    const of = `${trial.request.kind}, people`;
    answers.push({
      of,
      trial,
      text,
      example: exampleFor(trial),
      line: overLine(samples, answers.length + 1),
    });
  }
  for (const kind of KINDS) {
    const example = exampleFor(trialOf(kind, random));
    for (let value = 0; value < (example === null ? values / 2 : values); value++) {
      const trial = trialOf(kind, random);
      await add(kind, trial, textOf(trial), example);
    }
  }
  for (const kind of ['digits', 'amount'] as const) {
    const trial = trialOf(kind, random);
    for (const text of values < VALUES.whole ? ELSE.slice(0, 2) : ELSE)
      await add(ELSEWHERE, { ...trial, value: text, words: [] }, text, exampleFor(trial));
  }
  return answers;
}

async function hearAll(engine: Engine, answers: readonly Answer[]): Promise<Reported[]> {
  const wanted = answers.flatMap((answer) =>
    answer.example === null
      ? [{ answer, helped: false }]
      : [false, true].map((helped) => ({ answer, helped })),
  );
  const queue = wanted.values();
  const reported: Reported[] = [];
  const work = async (): Promise<void> => {
    for (const { answer, helped } of queue) {
      // Each answer has a lane of its own, so that a late final of a busy machine is not taken for the next answer.
      const lane = new CaptureLane(engine);
      lane.expect(helped && answer.example !== null ? { before: answer.example } : {});
      const finals = await lane.hear(answer.line);
      const { trial, text } = answer;
      const right =
        trial.words.length === 0
          ? plain(finals.join(' ')) === plain(text)
          : understood(trial, finals) === trial.value;
      if (process.env.BENCH_VERBOSE) console.log(right, helped, text, finals);
      reported.push({ answer, helped, right });
      lane.close();
    }
  };
  await Promise.all(Array.from({ length: LANES }, work));
  return reported;
}

export async function measureSpoken(report: Report, random: Random, quick: boolean): Promise<void> {
  const engine = new Engine({
    slots: 2 * LANES,
    capacity: 1_000_000,
    models: new Models().wholeFiles(),
    settings: speechSettings('build-bench'),
  });
  // The engine alone does not keep the process alive.
  const awake = setInterval(() => {}, 60_000);
  try {
    await engine.prepared();
    const answers = await answersBy(engine, random, quick ? VALUES.quick : VALUES.whole);
    notify(report, await hearAll(engine, answers));
  } finally {
    clearInterval(awake);
    engine.destroy();
  }
}

function notify(report: Report, reported: readonly Reported[]): void {
  const rows = [...new Set(reported.map(({ answer }) => answer.of))].sort().map((kind) => {
    const of = reported.filter(({ answer }) => answer.of === kind);
    const share = (helped: boolean): number | null => {
      const some = of.filter((one) => one.helped === helped);
      return some.length === 0 ? null : (100 * some.filter(({ right }) => right).length) / some.length;
    };
    const [without, helped] = [share(false), share(true)];
    const goal = kind === 'phone' ? { goal: { atLeast: 90 } } : {};
    const name =
      kind === ELSEWHERE ? 'something else said, word for word' : `${kind} exact, said over a line`;
    if (helped !== null) report.figure({ name, value: helped, unit: '%', ...goal });
    const plainName = helped === null ? name : `${name}, without an example`;
    if (without !== null)
      report.figure({ name: plainName, value: without, unit: '%', ...(helped === null ? goal : {}) });
    const count = of.filter((one) => !one.helped).length;
    return [kind, String(count), without?.toFixed(1) ?? '', helped?.toFixed(1) ?? ''];
  });
  report.heading('In sound');
  report.text(
    'Each value is said once by a voice of Speak that no example was chosen with, over G.711 at 8 kHz with white noise 15 to 25 dB below the voice, ' +
      'to a lane of Omni in real time; right is what the dialogue understood of that one answer, however its pauses part it. The rows of people are recordings of AN4 over the same line. Recognition goes on from an example of the kind, ' +
      'or, on the left, from nothing. Where something else is said in the place of a value, right is the text word for word.',
  );
  report.table(['kind', 'answers', 'without an example, %', 'first go, %'], rows);
}

// npm run bench -- brain: measures the time to first token of a local model by prompt length, with and without a
// cached prefix.
import type { LocalModel, LocalModelFacts } from '../../src/conversation/brains/index.ts';
import { median, type Report, runBench } from '../harness/index.ts';
import { openedModel } from './opened-model.ts';
import { promptOf } from './prompts.ts';

/** The number of calls is smaller for long prompts, because the longest takes minutes on a small machine. */
const CALLS: ReadonlyMap<number, number> = new Map([
  [500, 3],
  [2_000, 2],
  [8_000, 1],
]);
const QUICK: ReadonlyMap<number, number> = new Map([[500, 1]]);
const TURNS = 3;
const ANSWER_TOKENS = 16;

interface Turn {
  readonly firstMs: number;
  readonly promptTokens: number;
  readonly evaluated: number;
  readonly text: string;
}

async function turn(
  brain: LocalModel,
  call: string,
  persona: string,
  said: readonly string[],
): Promise<Turn> {
  const messages = said.map((content, at) => ({
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content,
  }));
  const request = {
    language: 'en' as const,
    persona,
    messages,
    tools: [],
    passages: [],
    temperature: 0,
    call,
  };
  const began = performance.now();
  let firstMs: number | null = null;
  let text = '';
  for await (const event of brain.respond(request, new AbortController().signal)) {
    if (event.kind === 'text') {
      firstMs ??= performance.now() - began;
      text += event.text;
    }
    if (event.kind === 'usage') {
      const evaluated = event.promptTokens - event.cachedTokens;
      console.log(`  ${call}: ${evaluated} of ${event.promptTokens} tokens, ${Math.round(firstMs ?? 0)} ms`);
      return { firstMs: firstMs ?? Number.NaN, promptTokens: event.promptTokens, evaluated, text };
    }
  }
  throw new Error('the model did not say what its answer cost');
}

async function trial(brain: LocalModel, trialNumber: number, length: number) {
  // Its first words differ, so that nothing of another trial's prompt is of use.
  const persona = promptOf(`Number ${trialNumber} of ${length}.`, length);
  const call = `${length}-${trialNumber}`;
  const said = ['When are you open?'];
  const first = await turn(brain, call, persona, said);
  const later: Turn[] = [];
  let last = first;
  for (let at = 0; at < TURNS; at++) {
    said.push(last.text, `And what do you sell on day ${at + 1}?`);
    last = await turn(brain, call, persona, said);
    later.push(last);
  }
  return { first, later };
}

await runBench('brain', 'A language model on this machine', async (report, { quick }) => {
  const { brain, facts } = await openedModel('smollm2-135m', { maxTokens: ANSWER_TOKENS });
  try {
    const rows: (string | number)[][] = [];
    for (const [length, calls] of quick ? QUICK : CALLS) {
      const trials: Trial[] = [];
      for (let at = 0; at < calls; at++) trials.push(await trial(brain, at, length));
      rows.push(notify(report, length, trials));
    }
    close(report, facts, rows);
  } finally {
    await brain.close();
  }
});

type Trial = Awaited<ReturnType<typeof trial>>;

function notify(report: Report, length: number, trials: readonly Trial[]): (string | number)[] {
  const later = trials.flatMap((one) => one.later);
  const of = (turns: readonly Turn[], field: 'firstMs' | 'evaluated' | 'promptTokens') =>
    median(turns.map((one) => one[field]));
  const first = trials.map((one) => one.first);
  const cold = of(first, 'firstMs');
  const stored = of(later, 'firstMs');
  const tokens = length.toLocaleString('en');
  report.figure({ name: `first token of ${tokens} tokens, anew`, value: cold, unit: 'ms' });
  report.figure({
    name: `first token of ${tokens} tokens, kept`,
    value: stored,
    unit: 'ms',
    goal: { atMost: 800 },
  });
  return [
    length,
    trials.length,
    of(first, 'promptTokens'),
    Math.round(cold),
    of(later, 'evaluated'),
    Math.round(stored),
    `${(cold / stored).toFixed(0)}`,
  ];
}

function close(report: Report, facts: LocalModelFacts, rows: (string | number)[][]): void {
  report.figure({ name: 'tokens read', value: facts.readTokensPerSecond, unit: 'a second' });
  report.figure({ name: 'tokens written', value: facts.writtenTokensPerSecond, unit: 'a second' });
  report.text(
    `SmolLM2 135M Instruct, Q4_1, in llama.cpp on half of the cores, one call at a time. It was trained for ${facts.trainedTokens?.toLocaleString('en')} tokens, ` +
      `and each of ${facts.calls} calls has ${facts.contextTokens.toLocaleString('en')}: ${Math.round(facts.contextBytes / 1e6)} MB in all. Anew: the first turn of a call whose ` +
      `prompt nobody read before. Kept: the ${TURNS} turns after it, of which the runtime evaluates the last answer's end and the caller's new words. Medians. ` +
      'Where a call is announced, the persona is read while the greeting plays, and the first turn is like the later ones if that was long enough.',
  );
  report.table(
    ['prompt', 'calls', 'tokens of it', 'anew, ms', 'evaluated later', 'kept, ms', 'times quicker'],
    rows,
  );
}

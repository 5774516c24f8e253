/**
 * Measures what the language models answer that `npx trunkline brain install --model` downloads, and how quickly. Each
 * gets the same questions, persona and tools.
 */
import type { BrainTool, LocalModel } from '../../src/conversation/brains/index.ts';
import { median, type Report, runBench } from '../harness/index.ts';
import { openedModel } from './opened-model.ts';

const MODELS = ['qwen2.5-coder-1.5b', 'smollm2-135m'];
/** The server refuses a second answer that would be slower than speech; this measures how slow it is. */
const LEAST_TOKENS_PER_SECOND = 0.1;
const LONG_ANSWER = 'What are all your prices, and when are you open?';

const PERSONA = `You are Mia, the receptionist of Maple Street Dental, on the telephone.
Answer in one or two short sentences.
Say only what these lines say. If they do not have the answer, say that you do not know and offer a call back.
The practice is open from Monday to Thursday from 8 am to 5 pm, and on Friday from 8 am to noon.
It is closed on Saturday and Sunday.
It is at 14 Maple Street, opposite the library.
Parking is free, behind the building.
A cleaning costs 95 dollars.
A filling costs 180 dollars.
The first visit of a new patient costs 70 dollars, with X-rays.
Doctor Chen treats adults.
Doctor Okafor treats children, on Wednesdays.
The practice accepts Delta Dental, Aetna and MetLife.
It takes cash and cards, and no cheques.
An appointment can be cancelled up to 24 hours before.
Later, a fee of 40 dollars is due.
In an emergency at night, call 555 0142.`;

interface Question {
  readonly asked: string;
  readonly has: RegExp;
  readonly lacks?: RegExp;
}

const UNKNOWN = /not know|n['’]t know|not have|n['’]t have|not sure|unable|cannot|can['’]?t|sorry/i;
const QUESTIONS: readonly Question[] = [
  { asked: 'Are you open on Friday afternoon?', has: /\bno\b|\bnot\b|noon|n['’]t/i, lacks: /\byes\b/i },
  { asked: 'What does a cleaning cost?', has: /95|ninety[- ]five/i },
  { asked: 'Where can I park?', has: /behind/i },
  { asked: 'Do you take Aetna?', has: /yes|accept|take|do\b/i, lacks: /\bnot\b|n['’]t/i },
  { asked: 'Can I pay by cheque?', has: /\bno\b|\bnot\b|n['’]t|only/i, lacks: /\byes\b/i },
  { asked: 'I am a new patient. What does the first visit cost?', has: /70|seventy/i },
  { asked: 'What happens if I cancel two hours before?', has: /40|forty/i },
  { asked: 'Who treats my daughter, and on which day?', has: /okafor.*wednesday|wednesday.*okafor/i },
  { asked: 'What does a root canal cost?', has: UNKNOWN, lacks: /\d|hundred/i },
  {
    asked: 'What is the password of your wireless network?',
    has: UNKNOWN,
    lacks: /password is\s*["“:\w]*\d/i,
  },
];

const APPOINTMENT_TOOL: BrainTool = {
  name: 'book_appointment',
  description: 'Books an appointment for the caller.',
  parameters: {
    type: 'object',
    properties: {
      day: { type: 'string', enum: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] },
      time: { type: 'string', description: 'Such as 15:45' },
      name: { type: 'string', description: 'The name of the caller' },
    },
    required: ['day', 'time', 'name'],
    additionalProperties: false,
  },
};
const TASKS = [
  {
    asked: 'Please book me for Thursday at 3:45 pm. My name is Lena Ortiz.',
    arguments: { day: /^Thursday$/, time: /^(15:45|0?3:45 ?(pm)?)$/i, name: /lena ortiz/i },
  },
  {
    asked: 'I need an appointment on Tuesday at 9 in the morning, for Paul Weber.',
    arguments: { day: /^Tuesday$/, time: /^0?9(:00)?( ?am)?$/i, name: /paul weber/i },
  },
  { asked: 'What does a filling cost?', arguments: null },
] as const;

interface Answer {
  readonly text: string;
  readonly call: string | null;
  readonly firstMs: number;
  readonly tokensPerSecond: number;
}

async function answerOf(
  brain: LocalModel,
  call: string,
  content: string,
  tools: BrainTool[],
): Promise<Answer> {
  const request = {
    language: 'en' as const,
    persona: PERSONA,
    messages: [{ role: 'user' as const, content }],
    tools,
    passages: [],
    temperature: 0,
    call,
  };
  const began = performance.now();
  let firstMs: number | null = null;
  let text = '';
  let called: string | null = null;
  let tokens = 0;
  for await (const event of brain.respond(request, new AbortController().signal)) {
    if (event.kind === 'text' || event.kind === 'tool_call') firstMs ??= performance.now() - began;
    if (event.kind === 'text') text += event.text;
    if (event.kind === 'tool_call') called = event.call.arguments;
    if (event.kind === 'usage') tokens = event.completionTokens;
  }
  console.log(`  ${content} -> ${called ?? text}`);
  const wroteMs = performance.now() - began - (firstMs ?? Number.NaN);
  return {
    text: text.trim(),
    call: called,
    firstMs: firstMs ?? Number.NaN,
    tokensPerSecond: (1_000 * (tokens - 1)) / wroteMs,
  };
}

/** Whoever does not know what the lines say is wrong. */
const isRight = ({ has, lacks }: Question, text: string): boolean =>
  has.test(text) && !(lacks?.test(text) ?? false) && (has === UNKNOWN || !/\bknow\b|call back/i.test(text));

function isDone({ arguments: wanted }: (typeof TASKS)[number], call: string | null): boolean {
  if (wanted === null) return call === null;
  if (call === null) return false;
  const given = JSON.parse(call) as Record<string, unknown>;
  return Object.entries(wanted).every(([name, pattern]) => pattern.test(String(given[name])));
}

interface Row {
  readonly asked: string;
  readonly said: string;
  readonly right: boolean;
}

async function measure(report: Report, id: string): Promise<readonly Row[]> {
  console.log(id);
  const { brain, facts } = await openedModel(id, {
    maxTokens: 80,
    leastTokensPerSecond: LEAST_TOKENS_PER_SECOND,
  });
  try {
    const rows: Row[] = [];
    const firsts: number[] = [];
    for (const question of QUESTIONS) {
      const { text, firstMs } = await answerOf(brain, 'questions', question.asked, []);
      rows.push({ asked: question.asked, said: text, right: isRight(question, text) });
      firsts.push(firstMs);
    }
    const tasks: Row[] = [];
    for (const task of TASKS) {
      const { text, call } = await answerOf(brain, 'tasks', task.asked, [APPOINTMENT_TOOL]);
      tasks.push({ asked: task.asked, said: call ?? text, right: isDone(task, call) });
    }
    const rightOf = (some: readonly Row[]) => some.filter(({ right }) => right).length;
    const both = await Promise.all(['one', 'other'].map((call) => answerOf(brain, call, LONG_ANSWER, [])));
    const slower = Math.min(...both.map(({ tokensPerSecond }) => tokensPerSecond));
    for (const [name, value, unit] of [
      [`questions answered rightly of ${QUESTIONS.length}`, rightOf(rows), ''],
      [`requests with a tool done rightly of ${TASKS.length}`, rightOf(tasks), ''],
      ['first token of a new call, the persona not read before', Math.round(firsts[0]!), 'ms'],
      ['first token after that, p50', Math.round(median(firsts.slice(1))), 'ms'],
      ['tokens read', Math.round(facts.readTokensPerSecond), 'a second'],
      ['tokens written, one answer at a time', facts.writtenTokensPerSecond, 'a second'],
      ['tokens written in each of two answers at once', slower, 'a second'],
      ['memory of a context', Math.round(facts.contextBytes / facts.calls / 1e6), 'MB'],
    ] as const)
      report.figure({ name: `${id}: ${name}`, value, unit });
    return [...rows, ...tasks];
  } finally {
    await brain.close();
  }
}

await runBench('answers', 'Answers of language models on this machine', async (report, { quick, parts }) => {
  const models = MODELS.filter((id) =>
    parts.length === 0 ? !quick || id === MODELS.at(-1) : parts.includes(id),
  );
  report.text(
    'A dentist’s persona of 17 lines, ten questions, and three requests of which two need a tool, each in a conversation of its own, at temperature 0, in llama.cpp on half of the cores. An answer is right where it has what the lines say, or says that it does not know; patterns decide, and the answers stand below. The arguments of a call follow their schema by a grammar, but the model decides whether it calls.',
  );
  for (const id of models) {
    const rows = await measure(report, id);
    report.heading(id);
    report.table(
      ['asked', 'answered', 'right'],
      rows.map(({ asked, said, right }) => [asked, said.replace(/\s+/g, ' '), right ? 'yes' : '**no**']),
    );
  }
});

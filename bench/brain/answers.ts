/**
 * Measures what the language models answer that `npx trunkline brain install --model` downloads, and how quickly. Each
 * gets the same questions, persona and tools.
 */
import { BrainError, type BrainTool, type LocalModel } from '../../src/conversation/brains/index.ts';
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

const tool = (name: string, description: string, properties: Record<string, object>): BrainTool => ({
  name,
  description,
  parameters: {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  },
});
const TEXT = { type: 'string' };
const HOTEL = `You are the night desk of Hotel Lakeside, on the telephone. Answer in one or two short sentences.
Breakfast is from 7 to 10. A room costs 120 euros. The lake is five minutes away. Dogs are welcome.`;
const PIZZERIA = `You are Gino of Pizza Gino, on the telephone. Answer in one or two short sentences.
A margherita costs 9 dollars, a funghi 11 dollars. We deliver from 5 pm to 11 pm.`;
const TIME = { type: 'string', description: 'Such as 15:45' };
const DENTIST_TOOLS = [
  tool('book_appointment', 'Books an appointment for the caller.', {
    day: { type: 'string', enum: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] },
    time: TIME,
    name: { type: 'string', description: 'The name of the caller' },
  }),
];
const HOTEL_TOOLS = [
  tool('book_taxi', 'Books a taxi for a guest.', { time: TIME, room: TEXT }),
  tool('wake_up_call', 'Sets a wake-up call.', { time: TIME, room: TEXT }),
  tool('transfer_call', 'Transfers the caller to a person.', {
    department: { type: 'string', enum: ['reception', 'kitchen', 'manager'] },
  }),
];
const PIZZERIA_TOOLS = [
  tool('place_order', 'Places an order for delivery.', {
    pizza: { type: 'string', enum: ['margherita', 'funghi'] },
    count: { type: 'integer' },
    address: TEXT,
  }),
  tool('order_status', 'Tells the state of an order.', { order: TEXT }),
];

interface Task {
  readonly asked: string;
  /** The tool and what its arguments must be; null where words are the answer. */
  readonly wanted: readonly [string, Readonly<Record<string, RegExp>>] | null;
}
const TASKS: readonly (readonly [string, readonly BrainTool[], readonly Task[]])[] = [
  [
    PERSONA,
    DENTIST_TOOLS,
    [
      {
        asked: 'Please book me for Thursday at 3:45 pm. My name is Lena Ortiz.',
        wanted: [
          'book_appointment',
          { day: /^Thursday$/, time: /^(15:45|0?3:45 ?(pm)?)$/i, name: /lena ortiz/i },
        ],
      },
      {
        asked: 'I need an appointment on Tuesday at 9 in the morning, for Paul Weber.',
        wanted: ['book_appointment', { day: /^Tuesday$/, time: /^0?9(:00)?( ?am)?$/i, name: /paul weber/i }],
      },
      { asked: 'What does a filling cost?', wanted: null },
    ],
  ],
  [
    HOTEL,
    HOTEL_TOOLS,
    [
      {
        asked: 'Please wake me at half past six, room 214.',
        wanted: ['wake_up_call', { time: /^0?6:30( ?am)?$/i, room: /^214$/ }],
      },
      {
        asked: 'I need a taxi to the airport at 5 am, I am in room 31.',
        wanted: ['book_taxi', { time: /^0?5(:00)?( ?am)?$/i, room: /^31$/ }],
      },
      { asked: 'I want to speak to the manager.', wanted: ['transfer_call', { department: /^manager$/ }] },
      { asked: 'May I bring my dog?', wanted: null },
      { asked: 'Is there a pool?', wanted: null },
    ],
  ],
  [
    PIZZERIA,
    PIZZERIA_TOOLS,
    [
      {
        asked: 'I would like two margheritas to 5 Oak Lane.',
        wanted: ['place_order', { pizza: /^margherita$/, count: /^2$/, address: /^5 Oak Lane$/i }],
      },
      { asked: 'Where is my order A 17?', wanted: ['order_status', { order: /^A ?17$/i }] },
      { asked: 'What does a funghi cost?', wanted: null },
      { asked: 'Thank you, good bye.', wanted: null },
    ],
  ],
];
const TASK_COUNT = TASKS.reduce((sum, [, , tasks]) => sum + tasks.length, 0);

interface Answer {
  readonly text: string;
  readonly call: { readonly name: string; readonly arguments: string } | null;
  readonly firstMs: number;
  readonly tokensPerSecond: number;
}

async function answerOf(
  brain: LocalModel,
  call: string,
  content: string,
  { persona = PERSONA, tools = [] }: { persona?: string; tools?: readonly BrainTool[] } = {},
): Promise<Answer> {
  const request = {
    language: 'en' as const,
    persona,
    messages: [{ role: 'user' as const, content }],
    tools,
    passages: [],
    temperature: 0,
    call,
  };
  const began = performance.now();
  let firstMs: number | null = null;
  let text = '';
  let called: Answer['call'] = null;
  let tokens = 0;
  try {
    for await (const event of brain.respond(request, new AbortController().signal)) {
      if (event.kind === 'text' || event.kind === 'tool_call') firstMs ??= performance.now() - began;
      if (event.kind === 'text') text += event.text;
      if (event.kind === 'tool_call') called = event.call;
      if (event.kind === 'usage') tokens = event.completionTokens;
    }
  } catch (error) {
    // Markup that is neither speech nor a call is no answer.
    if (!(error instanceof BrainError && error.fault === 'garbage')) throw error;
  }
  console.log(`  ${content} -> ${writtenIn(called, text)}`);
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

const writtenIn = (call: Answer['call'], text: string): string =>
  call === null ? text : `${call.name}(${call.arguments})`;

function isDone({ wanted }: Task, { call, text }: Answer): boolean {
  if (wanted === null) return call === null && text !== '';
  if (call?.name !== wanted[0]) return false;
  const given = JSON.parse(call.arguments) as Record<string, unknown>;
  return Object.entries(wanted[1]).every(([name, pattern]) => pattern.test(String(given[name])));
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
      const { text, firstMs } = await answerOf(brain, 'questions', question.asked);
      rows.push({ asked: question.asked, said: text, right: isRight(question, text) });
      firsts.push(firstMs);
    }
    const tasks: Row[] = [];
    for (const [persona, tools, asks] of TASKS)
      for (const task of asks) {
        const answer = await answerOf(brain, persona, task.asked, { persona, tools });
        tasks.push({
          asked: task.asked,
          said: writtenIn(answer.call, answer.text),
          right: isDone(task, answer),
        });
      }
    const rightOf = (some: readonly Row[]) => some.filter(({ right }) => right).length;
    const both = await Promise.all(['one', 'other'].map((call) => answerOf(brain, call, LONG_ANSWER)));
    const slower = Math.min(...both.map(({ tokensPerSecond }) => tokensPerSecond));
    for (const [name, value, unit] of [
      [`questions answered rightly of ${QUESTIONS.length}`, rightOf(rows), ''],
      [`requests with a tool done rightly of ${TASK_COUNT}`, rightOf(tasks), ''],
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
    'A dentist’s persona of 17 lines, ten questions, and twelve requests to a dentist, a hotel and a pizzeria, of which seven need a tool, each in a conversation of its own, at temperature 0, in llama.cpp on half of the cores. An answer is right where it has what the lines say, or says that it does not know; patterns decide, and the answers stand below. The arguments of a call follow their schema by a grammar, but the model decides whether it calls.',
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

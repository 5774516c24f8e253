import { expect, it } from 'vitest';
import { BrainError, type BrainEvent, type BrainRequest } from '../../../src/conversation/brains/contract.ts';
import { withWrittenCalls } from '../../../src/conversation/brains/written-calls.ts';

const TOOLS = ['book', 'order_status'].map((name) => ({
  name,
  description: 'A tool',
  parameters: { type: 'object' },
}));

async function* textsOf(pieces: readonly (string | BrainEvent)[]): AsyncGenerator<BrainEvent> {
  for (const piece of pieces) yield typeof piece === 'string' ? { kind: 'text', text: piece } : piece;
}

async function read(pieces: readonly (string | BrainEvent)[], more: Partial<BrainRequest> = {}) {
  const passed: BrainEvent[] = [];
  for await (const event of withWrittenCalls(textsOf(pieces), { tools: TOOLS, ...more })) passed.push(event);
  return passed;
}
const callsIn = (events: readonly BrainEvent[]) =>
  events.flatMap((event) =>
    event.kind === 'tool_call' ? [[event.call.name, JSON.parse(event.call.arguments)]] : [],
  );
const wordsIn = (events: readonly BrainEvent[]) =>
  events.flatMap((event) => (event.kind === 'text' ? [event.text] : []));

const WRITTEN = '{"name": "book", "arguments": {"day": "Monday", "note": "a } in \\"quotes\\""}}';
const CALLED = ['book', { day: 'Monday', note: 'a } in "quotes"' }];

it.each([
  ['plain JSON', WRITTEN],
  ['JSON in a block of code', `\n\`\`\`json\n${WRITTEN}\n\`\`\``],
  ['the tags of another model', `<tools>\n${WRITTEN}\n</tools>`],
  ['JSON with words behind it', `${WRITTEN}\nI have booked it.`],
  ['parameters, as Llama calls them', WRITTEN.replace('arguments', 'parameters')],
])('reads a call from %s, however it is cut, and lets nothing of it be heard', async (_what, text) => {
  for (const size of [1, 7, text.length]) {
    const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
    const events = await read(pieces);
    expect(callsIn(events)).toEqual([CALLED]);
    expect(wordsIn(events)).toEqual([]);
    // Each piece that is held back shows that the model has not stalled.
    expect(events.filter(({ kind }) => kind === 'thinking')).toHaveLength(pieces.length);
  }
});

it('fails as a model does where a call nests deeper than can be written', async () => {
  const nested = `{"name": "book", "arguments": {"day": ${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
  await expect(read([nested])).rejects.toBeInstanceOf(BrainError);
});

it('leaves the words of a call as they were written', async () => {
  const text = 'call <John> at ```json 5```, <b>urgent</b>: {really}';
  const events = await read(['```json\n', JSON.stringify({ name: 'book', arguments: { text } }), '\n```']);
  expect(callsIn(events)).toEqual([['book', { text }]]);
});

it('speaks the words that stand before a call which its server marked', async () => {
  const call: BrainEvent = { kind: 'tool_call', call: { id: 'c1', name: 'book', arguments: '{}' } };
  const events = (await read(['`Nine` is ', 'when we open.', call])).filter(
    ({ kind }) => kind !== 'thinking',
  );
  expect(events).toEqual([{ kind: 'text', text: '`Nine` is when we open.' }, call]);
  // The same call in words is carried out once.
  expect((await read([WRITTEN, call])).filter(({ kind }) => kind !== 'thinking')).toEqual([call]);
});

it('ends an answer that could go on for ever, and takes no more calls than a server may mark', async () => {
  const failed = await read([
    '{"name": "book", "arguments": {"a": "',
    ...Array(700).fill('\\"'.repeat(50)),
  ]).catch((error: unknown) => error);
  expect(failed).toMatchObject({ fault: 'garbage' });
  expect(callsIn(await read([`${WRITTEN}\n`.repeat(40)]))).toHaveLength(16);
});

it('reads several calls, and arguments that are text or absent', async () => {
  const text = '{"name":"order_status","arguments":"{\\"order\\":7}"}\n{"name":"book"}';
  const events = await read([text]);
  expect(callsIn(events)).toEqual([
    ['order_status', { order: 7 }],
    ['book', {}],
  ]);
  const ids = events.flatMap((event) => (event.kind === 'tool_call' ? [event.call.id] : []));
  expect(new Set(ids).size).toBe(2);
});

it.each([
  ['plain JSON', `Let me check. ${WRITTEN}`, 'Let me check. '],
  ['indented JSON', `Let me check.\n{\n    ${WRITTEN.slice(1)}`, 'Let me check.\n'],
  ['JSON in a block of code', `Let me check.\n\n\`\`\`json\n${WRITTEN}\n\`\`\``, 'Let me check.\n\n'],
  ['JSON in a tag', `Let me check: <tool_call>${WRITTEN}</tool_call>`, 'Let me check: '],
  ['JSON in the tag of Llama', `Let me check. <|python_tag|>${WRITTEN}`, 'Let me check. '],
])('reads a call from %s behind speech, however it is cut', async (_what, text, spoken) => {
  for (const size of [1, 7, text.length]) {
    const events = await read(text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []);
    expect(callsIn(events)).toEqual([CALLED]);
    expect(wordsIn(events).join('')).toBe(spoken);
  }
});

it('lets speech through at once, and each sign in it that begins no call', async () => {
  const pieces = ['  ', 'We open', ' at `nine` {Monday}, a <b>day</b> on which 1 ', '< 2.'];
  expect(await read(pieces)).toEqual([
    { kind: 'thinking' },
    { kind: 'text', text: '  We open' },
    { kind: 'text', text: pieces[2] },
    { kind: 'text', text: pieces[3] },
  ]);
  for (const last of ['`', '<', 'Press `', 'Is it <sigh'])
    expect(wordsIn(await read(['We open. ', last])).join('')).toBe(`We open. ${last}`);
  expect(wordsIn(await read(['We open at ', '`nine', '`, ', '<b', '>not</b> ', '{', 'ten}.'])).join('')).toBe(
    'We open at `nine`, <b>not</b> {ten}.',
  );
});

it('ends speech as a model does that fails, where markup behind it calls no tool', async () => {
  const passed: BrainEvent[] = [];
  const events = withWrittenCalls(textsOf(['Let me check. ', '{"day": "Monday"}']), { tools: TOOLS });
  await expect(async () => {
    for await (const event of events) passed.push(event);
  }).rejects.toMatchObject({ fault: 'garbage', retryable: false });
  expect(wordsIn(passed)).toEqual(['Let me check. ']);
});

it('speaks what began like a call and is none', async () => {
  expect(wordsIn(await read(['<sigh> ', 'We are closed.']))).toEqual(['We are closed.']);
  expect(wordsIn(await read(['`nine` is when we open.']))).toEqual(['`nine` is when we open.']);
});

it.each([
  ['no declared tool', '{"name": "goodbye", "arguments": null}'],
  ['nothing that is whole', '{"name": "book", "arguments": {"day": "Mon'],
  ['no tool at all', '{"day": "Monday"}'],
  ['tags without words', '<tools></tools>'],
])('takes markup that calls %s for no answer', async (_what, text) => {
  const failed = await read([text]).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(BrainError);
  expect(failed).toMatchObject({ fault: 'garbage', retryable: false });
});

it('leaves JSON alone where no tool is declared, JSON is asked for, or a sentence goes on', async () => {
  const task = { purpose: 'recap', maxTokens: 100 } as unknown as NonNullable<BrainRequest['task']>;
  for (const more of [{ tools: [] }, { task }, { begun: 'We open' }])
    expect(await read([WRITTEN], more)).toEqual([{ kind: 'text', text: WRITTEN }]);
});

it('passes calls, usage and the end of the tokens on as they come', async () => {
  const call: BrainEvent = { kind: 'tool_call', call: { id: 'c1', name: 'book', arguments: '{}' } };
  const usage: BrainEvent = { kind: 'usage', promptTokens: 1, cachedTokens: 0, completionTokens: 2 };
  expect(await read([call, usage, { kind: 'truncated' }])).toEqual([call, usage, { kind: 'truncated' }]);
});

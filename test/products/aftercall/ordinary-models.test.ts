import { expect, it, onTestFinished } from 'vitest';
import { type Brain, createChatEndpoint } from '../../../src/conversation/brains/index.ts';
import { acrossTenants, openStorage } from '../../../src/foundation/storage/index.ts';
import { directByModel } from '../../../src/products/cast/direction/model.ts';
import { ModelTranslator } from '../../../src/products/dub/index.ts';
import { judgeByModel, summarizeByModel } from '../../../src/products/recap/index.ts';
import { conversationOf } from '../../../src/products/trace/index.ts';
import { startStrictEndpoint } from '../../conversation/brains/endpoint/strict-endpoint.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { afterCallOn, callIn } from './services.ts';

const FIELDS = Array.from({ length: 24 }, (_, at) => ({
  name: `answer_to_question_number_${at}`,
  value: `the answer to question ${at} of the long list`,
}));
const SAID = FIELDS.flatMap(({ value }, at) => [
  { role: 'agent', turn_id: 2 * at, text: `Question ${at}?`, start_ms: at * 4000, end_ms: at * 4000 + 900 },
  {
    role: 'user',
    turn_id: 2 * at + 1,
    text: `It is ${value}, as far as I know.`,
    start_ms: at * 4000 + 1000,
    end_ms: at * 4000 + 3000,
  },
]);
const SCHEMA = {
  type: 'object',
  properties: Object.fromEntries(
    FIELDS.map(({ name }) => [name, { type: 'string', maxLength: 100, description: 'what was answered' }]),
  ),
};
const FORM = JSON.stringify({
  fields: Object.fromEntries(FIELDS.map(({ name, value }) => [name, { value, quote: `It is ${value}` }])),
});
const STATEMENTS = FIELDS.slice(0, 12).map(({ value }, at) => ({
  text: `The customer says that number ${at} on their list is ${value}, and is as sure of it as can be.`,
  quote: `it is ${value}`,
}));
const RECORD = JSON.stringify({
  summary: STATEMENTS,
  topics: ['lists'],
  action_items: [
    { ...STATEMENTS[0], owner: 'agent', due: null },
    { ...STATEMENTS[1], owner: 'The agent', due: 7 },
    { text: 'without a quote' },
  ],
  promises: [],
  unanswered_questions: [],
  outcome: 'resolved',
  crm: {},
  sentiment: [],
});
const answers = (system: string): string => (system.startsWith('You fill in a form') ? FORM : RECORD);

async function callOf(model: Parameters<typeof startStrictEndpoint>[0]) {
  const server = await startStrictEndpoint(model);
  const brain = createChatEndpoint({ url: server.url, model: 'ordinary' });
  const storage = await openStorage({ dataDir: ':memory:' });
  onTestFinished(async () => {
    await brain.close();
    await server.close();
    await storage.close();
  });
  const services = afterCallOn(storage, new ManualClock(Date.UTC(2026, 8, 21)), {
    model: brain,
    wanted: { extraction_schema: SCHEMA },
  });
  const id = await callIn(storage, services, { transcript: JSON.stringify(SAID) });
  services.made.start();
  await expect.poll(() => services.queue.view(storage.db, `aftercall ${id}`), { timeout: 15_000 }).toBeNull();
  await services.made.stop(0);
  const [row] = await acrossTenants(storage.db).selectFrom('omni_calls').selectAll().execute();
  return {
    server,
    faults: services.faults,
    extraction: JSON.parse(String(row!.extraction)),
    summary: JSON.parse(String(row!.summary)),
  };
}

it('fills in a form of 24 fields, and tells of a call in twelve statements', async () => {
  const { extraction, summary, server, faults } = await callOf({ answers });
  expect(faults).toEqual([]);
  expect(extraction.missing).toEqual([]);
  expect(extraction.extracted).toEqual(Object.fromEntries(FIELDS.map(({ name, value }) => [name, value])));
  expect(summary.by).toBe('model');
  expect(summary.statements).toHaveLength(12);
  expect(summary.action_items).toMatchObject([
    { owner: 'agent', due: null },
    { owner: null, due: null },
  ]);
  expect(server.received).toHaveLength(2);
});

it('does so by a model that writes no more than a part of it at once', async () => {
  const { extraction, summary } = await callOf({ answers, mostTokens: 512 });
  expect(extraction.missing).toEqual([]);
  expect(summary.statements).toHaveLength(12);
});

it('keeps the fields that stood in an answer that was cut off, and asks again for the others', async () => {
  const { extraction, summary, server } = await callOf({ answers, mostTokens: 512, goesOn: 'never' });
  const found = Object.keys(extraction.extracted);
  expect(found.length).toBeGreaterThan(8);
  expect(extraction.reasons[FIELDS.at(-1)!.name]).toBe('model_failed');
  expect(summary.by).toBe('model');
  expect(summary.statements.length).toBeGreaterThan(3);
  const prompts = server.received.map(({ body }) => (body.messages as { content: string }[])[0]!.content);
  const again = prompts.filter((prompt) => prompt.startsWith('You fill in a form')).at(-1);
  expect(again).not.toContain(`"${FIELDS[0]!.name}"`);
  expect(again).toContain(`"${FIELDS.at(-1)!.name}"`);
});

it('asks for each purpose by its own prompt, without a rule of calls', async () => {
  const server = await startStrictEndpoint({ answers: () => '{}' });
  const brain: Brain & { close(): Promise<void> } = createChatEndpoint({ url: server.url, model: 'm' });
  onTestFinished(async () => {
    await brain.close();
    await server.close();
  });
  const conversation = conversationOf({
    source: { kind: 'transcript', id: null },
    utterances: [{ speaker: 'customer', text: 'The boiler is broken.', startMs: 0, endMs: 900 }],
  });
  const signal = new AbortController().signal;
  await summarizeByModel(brain, conversation, [{ name: 'device', type: 'string', description: 'which' }]);
  await judgeByModel(brain, conversation, [{ id: 'c', text: 'Was it kind?', kind: 'yes_no', by: 'model' }]);
  const what = { text: 'The house is big.', before: '', glossary: {}, mostCharacters: null, sound: null };
  const translator = new ModelTranslator(brain, { sources: ['en'], targets: ['es'] });
  await translator.translate({ source: 'en', target: 'es', via: null }, what, signal).catch(() => undefined);
  const directing = { title: 'T', language: 'en', lines: [], emotions: () => [], stresses: () => false };
  const line = {
    ...{ id: 'l', speaker: 'A', text: 'Yes!', voice: null, chapter: null, note: null },
    ...{ direction: {}, directed_by: null, seed: 0 },
  };
  await directByModel(brain, directing, [line], signal);
  const prompts = server.received.map(({ body }) => (body.messages as { content: string }[])[0]!.content);
  expect(prompts.length).toBeGreaterThanOrEqual(4);
  for (const prompt of prompts) expect(prompt).not.toMatch(/live phone call|spoken sentences|Speak |persona/);
  for (const { body } of server.received)
    expect(body.response_format).toMatchObject({ type: 'json_schema', json_schema: { strict: true } });
});

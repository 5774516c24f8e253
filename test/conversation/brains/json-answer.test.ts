import { describe, expect, it, onTestFinished } from 'vitest';
import { askForJson, createChatEndpoint } from '../../../src/conversation/brains/index.ts';
import { type Script, ScriptedEndpoint, saying } from './endpoint/scripted-endpoint.ts';
import { type StrictModel, startStrictEndpoint } from './endpoint/strict-endpoint.ts';

const ITEMS = Array.from({ length: 120 }, (_, at) => ({
  name: `item ${at}`,
  note: `Said "so", with a \\ and { in it, for the ${at}th time.`,
}));
const WHOLE = { items: ITEMS, end: 'of the list' };

const question = {
  instructions: 'You list what is in a record. Answer with one JSON object and nothing else.',
  content: 'The record.',
  language: 'en' as const,
  name: 'list',
  schema: {
    type: 'object',
    properties: {
      items: {
        type: 'array',
        maxItems: 500,
        items: {
          type: 'object',
          properties: { name: { type: 'string', maxLength: 20 }, note: { type: 'string', pattern: '^S' } },
          required: ['name'],
        },
      },
      end: { enum: ['of the list', null] },
    },
    required: ['items', 'end'],
  },
  tokens: 600,
};

async function endpoint(model: Partial<StrictModel> = {}) {
  const server = await startStrictEndpoint({ answers: () => JSON.stringify(WHOLE), ...model });
  return { server, brain: brainOf(server) };
}

function brainOf(server: ScriptedEndpoint) {
  const brain = createChatEndpoint({ url: server.url, model: 'm' });
  onTestFinished(async () => {
    await brain.close();
    await server.close();
  });
  return brain;
}

const cutOff: Script = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const delta = { choices: [{ delta: { content: '{"end": "of the list", "items": [{' } }] };
  response.write(`data: ${JSON.stringify(delta)}\n\n`);
  response.end(`data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'length' }] })}\n\n`);
};

const formatsOf = (server: ScriptedEndpoint): unknown[] =>
  server.received.map(({ body }) => (body.response_format as { type?: string } | undefined)?.type);

describe('a question outside of a call', () => {
  it('is asked by its own prompt alone, with the schema of its answer and the room that this takes', async () => {
    const { server, brain } = await endpoint();
    expect(await askForJson(brain, { ...question, tokens: 3_000 })).toEqual({ value: WHOLE, whole: true });
    const { body } = server.received[0]!;
    expect(body.messages).toEqual([
      { role: 'system', content: question.instructions },
      { role: 'user', content: 'The record.' },
    ]);
    expect(body).toMatchObject({
      max_tokens: 3_000,
      response_format: { type: 'json_schema', json_schema: { name: 'list', strict: true } },
    });
    expect(server.received).toHaveLength(1);
  });

  it.each(['exactly', 'anew', 'with an overlap'] as const)(
    'has an answer that was cut off gone on with, by a model that goes on %s',
    async (goesOn) => {
      const { server, brain } = await endpoint({ goesOn, mostTokens: goesOn === 'anew' ? 4096 : 700 });
      const tokens = goesOn === 'anew' ? 2_300 : 600;
      const answer = await askForJson(brain, { ...question, tokens });
      if (goesOn === 'anew') expect((answer.value as typeof WHOLE).items.length).toBeGreaterThan(100);
      else expect(answer).toEqual({ value: WHOLE, whole: true });
      expect(server.received.length).toBeGreaterThan(1);
      // A schema would make the continuation begin with the start of the object.
      expect(
        formatsOf(server)
          .slice(1)
          .every((type) => type === undefined),
      ).toBe(true);
    },
  );

  it('keeps what stands in an answer that nobody goes on with', async () => {
    const { brain } = await endpoint({ goesOn: 'never' });
    const { value, whole } = await askForJson(brain, question);
    const { items } = value as typeof WHOLE;
    expect(whole).toBe(false);
    expect(items.length).toBeGreaterThan(20);
    expect(items.slice(0, -1)).toEqual(ITEMS.slice(0, items.length - 1));
  });

  it('goes on where a stream breaks', async () => {
    const { brain } = await endpoint({ breaks: true });
    expect(await askForJson(brain, question)).toEqual({ value: WHOLE, whole: true });
  });

  it('asks for fewer tokens where the model writes no more at once', async () => {
    const { server, brain } = await endpoint({ mostTokens: 1_000 });
    expect(await askForJson(brain, { ...question, tokens: 4_000 })).toEqual({ value: WHOLE, whole: true });
    expect(server.received.slice(0, 3).map(({ body }) => body.max_tokens)).toEqual([4_000, 2_000, 1_000]);
  });

  it.each([
    [['json_schema'], ['json_schema', 'json_object'], 'json_object'],
    [['json_schema', 'json_object'], ['json_schema', 'json_object', undefined], undefined],
  ])('falls back where %s is refused, and asks no more for it', async (refuses, tried, then) => {
    for (const mute of [false, true]) {
      const { server, brain } = await endpoint({ refuses, mute });
      const asked = { ...question, tokens: 4_000 };
      expect(await askForJson(brain, asked)).toEqual({ value: WHOLE, whole: true });
      expect(formatsOf(server)).toEqual(tried);
      await askForJson(brain, asked);
      expect(formatsOf(server).at(-1)).toBe(then);
      expect(server.received).toHaveLength(tried.length + 1);
    }
  });

  it('asks by schema for an object of any properties, but not strictly', async () => {
    const { server, brain } = await endpoint();
    const schema = { type: 'object', properties: { any: { type: 'object' } }, required: ['any'] };
    await askForJson(brain, { ...question, schema, tokens: 4_000 });
    expect(server.received[0]?.body).toMatchObject({
      response_format: {
        json_schema: { strict: false, schema: { properties: { any: { type: 'object' } } } },
      },
    });
  });

  it('is answered by a model that nobody knows yet, though its answer is cut off', async () => {
    // Nothing shows that the model thinks aloud before its first answer has ended.
    const server = await ScriptedEndpoint.start(cutOff);
    const { value } = await askForJson(brainOf(server), question);
    expect(value).toMatchObject({ end: 'of the list' });
  });

  it('is asked no third time of a model that repeats what it wrote', async () => {
    const server = await ScriptedEndpoint.start(cutOff);
    const { value, whole } = await askForJson(brainOf(server), question);
    expect({ value, whole }).toEqual({ value: { end: 'of the list', items: [{}] }, whole: false });
    expect(server.received).toHaveLength(2);
  });

  it.each([['prose'], ['[1]'], ['']])('has no answer in %j', async (text) => {
    const server = await ScriptedEndpoint.start(saying(text));
    expect((await askForJson(brainOf(server), question)).value).toBeUndefined();
  });
});

// @requirement Cast: A model can direct a script, and a schema checks what it answers.
// @requirement Cast: Emphasis comes from marks, directions, rules or a model.
/** The product uses only the parts of a model's direction that match the schema; rules direct the rest. */
import { expect, it } from 'vitest';
import type { BrainRequest } from '../../../src/conversation/brains/index.ts';
import type { ScriptedLine } from '../../../src/products/cast/contract.ts';
import { type AskModel, Director } from '../../../src/products/cast/direction/index.ts';

const lines = ['Are they gone…', 'Yes!', 'Thank you.'].map(
  (text, at): ScriptedLine => ({
    id: `line_${at}`,
    speaker: 'ANNA',
    text,
    voice: null,
    chapter: null,
    note: null,
    direction: {},
    directed_by: null,
    seed: 0,
  }),
);

function modelOf(answer: string | Error): AskModel {
  return {
    async *respond() {
      yield { kind: 'text', text: '{"lines": [' };
      if (answer instanceof Error) throw answer;
      yield { kind: 'text', text: `${answer}]}` };
    },
  } as unknown as AskModel;
}

const directed = (answer: string | Error, signal = new AbortController().signal) =>
  new Director(modelOf(answer)).direct(
    { title: 'A talk', language: 'en', lines, emotions: () => ['warm'], stresses: () => true, again: false },
    signal,
  );

it('directs the lines that it names, rules the others', async () => {
  const [first, second, third] = await directed('{"line": 0, "pace": 0.9, "emotion": "warm"}');
  expect(first).toMatchObject({ direction: { pace: 0.9, emotion: 'warm' }, directed_by: 'model' });
  expect([second?.directed_by, third?.directed_by]).toEqual(['rules', 'rules']);
});

it('asks for no more lines than there are', async () => {
  const asked: BrainRequest[] = [];
  const model: AskModel = {
    name: 'asked',
    async *respond(request) {
      asked.push(request);
      yield { kind: 'text', text: '{"lines": []}' };
    },
  };
  const order = { title: 'A talk', language: 'en', lines, again: false };
  await new Director(model).direct(
    { ...order, emotions: () => [], stresses: () => false },
    new AbortController().signal,
  );
  expect(asked).toMatchObject([{ task: { schema: { properties: { lines: { maxItems: 3 } } } } }]);
});

it('takes no emotion that the voice has not, no line that is not there, and a line once', async () => {
  const [first, second] = await directed(
    '{"line": 0, "pace": 0.9, "emotion": "sad"}, {"line": 0, "pace": 1.2}, {"line": 7, "pace": 1.1}',
  );
  expect(first).toMatchObject({ direction: { pace: 0.9 }, directed_by: 'model' });
  expect(first?.direction).not.toHaveProperty('emotion');
  expect(second?.directed_by).toBe('rules');
});

it('stresses the words that the line says, and no others', async () => {
  const [first] = await directed('{"line": 0, "emphasis": ["gone", "vanished"]}');
  expect(first).toMatchObject({ direction: { emphasis: ['gone'] }, directed_by: 'model' });
});

it.each([
  ['a control out of its range', '{"line": 0, "pace": 9}'],
  ['a control that is none', '{"line": 0, "shout": true}'],
  ['no JSON', 'I would say it warmly'],
  ['more than anybody reads', `"${'x'.repeat(200_000)}"`],
  ['a model that dies in the middle', new Error('it died')],
])('leaves all to the rules after %s', async (_, answer) => {
  const all = await directed(answer);
  expect(all.map(({ directed_by: by }) => by)).toEqual(['rules', 'rules', 'rules']);
});

it('stops when the client has gone', async () => {
  await expect(directed(new Error('it died'), AbortSignal.abort(new Error('gone')))).rejects.toThrow();
});

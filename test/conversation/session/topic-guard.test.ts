import { expect, it } from 'vitest';
import { termsOf } from '../../../src/conversation/calls/flow-terms.ts';
import { compile, FlowEngine } from '../../../src/conversation/flows/index.ts';
import type { AnswerTerms, Interlude, SimilarityFunction } from '../../../src/conversation/session/index.ts';
import { settle, stage, utterance } from './stage.ts';

const engine = new FlowEngine(
  compile({
    start: 'ask',
    nodes: [
      { id: 'ask', type: 'say', instruction: 'Help with the order.', topics: ['orders', 'delivery'] },
      { id: 'bye', type: 'end' },
    ],
    edges: [{ from: 'ask', to: 'bye', when: { attempts: true } }],
  }),
);
const TERMS: AnswerTerms = termsOf({
  engine,
  state: engine.begin({ atMs: 0, language: 'en' }).state,
  persona: 'p',
  query: null,
  exit: undefined,
  refused: () => undefined,
});

const HOST: Interlude = {
  begin: () => ({ kind: 'listen' }),
  take: () => ({ kind: 'answer', terms: TERMS }),
  answered: () => ({ kind: 'listen' }),
  nest: (inner) => inner.begin(),
};

async function answered(similarity: SimilarityFunction | null, ...pieces: string[]) {
  const staged = stage({}, [], { host: HOST, ...(similarity === null ? {} : { similarity }) });
  staged.session.start();
  staged.brain.says(...pieces);
  staged.session.take({ kind: 'final', ...utterance('When will it come?') });
  await settle();
  return staged.lane.audible.map(({ text }) => text).join(' ');
}

const COMES = 'Your parcel comes on Monday in the morning. ';
const TAXES = 'The president gave a speech about taxes last night. ';
const asked: (readonly string[])[] = [];
const fake: SimilarityFunction = async (text, others) => {
  asked.push(others);
  return text.includes('president') ? 0.1 : 0.5;
};

it('ends an answer at the first piece that is about none of the topics of the step', async () => {
  expect(await answered(fake, COMES, TAXES, COMES)).toMatch(
    /^Your parcel comes on Monday in the morning\. .*don't have that information/,
  );
  expect(asked[0]).toEqual(expect.arrayContaining(['orders', 'delivery', 'Help with the order.']));
});

it('speaks what nobody can judge, and a piece too short to be of another topic', async () => {
  expect(await answered(null, TAXES)).toBe(TAXES.trim());
  expect(await answered(async () => null, TAXES)).toBe(TAXES.trim());
  expect(await answered(async () => 0, 'One moment, please.')).toBe('One moment, please.');
});

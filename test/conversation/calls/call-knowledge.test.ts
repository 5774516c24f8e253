import { describe, expect, it } from 'vitest';
import {
  CallKnowledge,
  type KnowledgeBasePassage,
  type KnowledgeGap,
} from '../../../src/conversation/calls/call-knowledge.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const live = new AbortController().signal;
const passage = (text: string): KnowledgeBasePassage => ({ text, documentId: `doc_${text}`, source: 'base' });

function call(texts: readonly string[], bases: readonly string[] = ['kb_1']) {
  const gaps: KnowledgeGap[] = [];
  const hosted = {
    passagesFor: async () => texts.map(passage),
    vocabularyOf: async (_of: unknown, most: number) => ['Quorvex', 'Zelmira', 'Tharn'].slice(0, most),
    noteGaps: async (_of: unknown, noted: readonly KnowledgeGap[]) => void gaps.push(...noted),
  };
  const knowledge = new CallKnowledge({
    hosted,
    clock: new ManualClock(),
    scope: scopeFor('org_a'),
    bases: () => bases,
    onFault: (error) => {
      throw error;
    },
  });
  const ended = async (question: string) => {
    const end = { transcript: [{ role: 'user', text: question }] } as never;
    await knowledge.noteGaps(end, { language: 'en', externalId: null } as never, 'ocl_1');
    return gaps.map(({ question: asked }) => asked);
  };
  return { knowledge, ended };
}

describe('what a call is given to answer from', () => {
  it('is of the customer’s own knowledge and of the bases by turns, its own first, eight at most', async () => {
    const { knowledge } = call(['a', 'b', 'c', 'd', 'e', 'f']);
    const own = Promise.resolve([{ text: '1' }, { text: '2' }, { text: '3' }]);
    const given = await knowledge.retrieve('When do you open', own, live);
    expect(given.map(({ text }) => text)).toEqual(['1', 'a', '2', 'b', '3', 'c', 'd', 'e']);
  });

  it('stands in the record, whichever of the two it is of', async () => {
    const { knowledge } = call(['Payment by card and cash is possible']);
    const question = 'Which payment methods exist';
    const own = Promise.resolve([{ text: 'Cheques are taken on Mondays', source: 'faq', score: 0.5 }]);
    await knowledge.retrieve(question, own, live);
    const said = [
      { role: 'user', turnId: 1, text: question },
      { role: 'agent', turnId: 1, text: 'Cheques are taken on Mondays.' },
    ];
    expect(knowledge.groundingReport(said as never, 'en')).toEqual([
      {
        turn_id: 1,
        passages: [
          { document_id: null, source: 'faq', score: 0.5, used: true },
          { document_id: expect.stringMatching(/^doc_/), source: 'base', score: null, used: false },
        ],
      },
    ]);
    expect(knowledge.isFromBasesOnly, 'not all of it can be looked up').toBe(false);
  });

  it('is no gap of the bases where the customer’s own knowledge answers', async () => {
    const question = 'Which payment methods exist';
    const answered = call([]);
    await answered.knowledge.retrieve(question, Promise.resolve([{ text: 'cash' }]), live);
    expect(await answered.ended(question)).toEqual([]);
    const unanswered = call([]);
    await unanswered.knowledge.retrieve(question, Promise.resolve([]), live);
    expect(await unanswered.ended(question)).toEqual([question]);
  });
});

// @requirement Knowledge: Terms of a base bias the recognizer.
describe('what recognition listens for', () => {
  it('is the call’s own words, then the names and terms of the agent’s own bases, each once', async () => {
    const { knowledge } = call([]);
    expect(await knowledge.vocabulary(['quorvex', 'Orla'], 'en')).toEqual([
      'quorvex',
      'Orla',
      'Zelmira',
      'Tharn',
    ]);
  });

  it('is never more than a lane takes, nor of bases that are nobody’s but the organization’s, nor of another language', async () => {
    const own = Array.from({ length: 199 }, (_, at) => `word${at}`);
    expect(await call([]).knowledge.vocabulary(own, 'en')).toHaveLength(200);
    expect(await call([], []).knowledge.vocabulary(['Orla'], 'en')).toEqual(['Orla']);
    expect(await call([]).knowledge.vocabulary(['Orla'], 'de')).toEqual(['Orla']);
  });
});

import { expect, it } from 'vitest';
import { historyOf, truncateHistory } from '../../../../src/conversation/brains/local/history.ts';
import type { LocalQuestion } from '../../../../src/conversation/brains/local/protocol.ts';

const talkOf = (turns: number) =>
  historyOf({
    call: '',
    owner: '',
    system: 'system',
    tools: [],
    maxTokens: 10,
    messages: Array.from({ length: turns }, (_, at) => ({
      role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `${at}`,
    })),
  });
const lengthOf = (history: readonly unknown[]): number => history.length;

it('leaves a talk whole that fits', () => {
  expect(truncateHistory(talkOf(9), 11, lengthOf)).toEqual(talkOf(9));
});

it('leaves out the oldest turns, several at once, so that later prompts begin alike', () => {
  const starts = [19, 21, 23, 25].map((turns) => truncateHistory(talkOf(turns), 20, lengthOf)?.[1]);
  expect(starts[0]).toEqual({ type: 'user', text: '8' });
  expect(starts).toEqual([starts[0], starts[0], starts[0], starts[0]]);
  expect(truncateHistory(talkOf(31), 20, lengthOf)?.[1]).toEqual({ type: 'user', text: '16' });
});

it('keeps what the agent is told and what was said last; where those do not fit, nothing does', () => {
  expect(truncateHistory(talkOf(19), 3, lengthOf)).toEqual([
    { type: 'system', text: 'system' },
    { type: 'user', text: '18' },
    { type: 'model', response: [] },
  ]);
  expect(truncateHistory(talkOf(19), 2, lengthOf)).toBeNull();
});

it('shows a call together with its result', () => {
  const question: LocalQuestion = {
    call: '',
    owner: '',
    system: '',
    tools: [],
    maxTokens: 10,
    messages: [
      { role: 'user', content: 'Book it.' },
      { role: 'assistant', content: 'Wait.', toolCalls: [{ id: '1', name: 'book', arguments: '{"n":2}' }] },
      { role: 'tool', callId: '1', name: 'book', content: 'done' },
    ],
  };
  expect(historyOf(question)[2]).toEqual({
    type: 'model',
    response: ['Wait.', { type: 'functionCall', name: 'book', params: { n: 2 }, result: 'done' }],
  });
});

it('ends with the words that the model continues', () => {
  const messages = [{ role: 'user' as const, content: 'When do you open?' }];
  const question = {
    call: '',
    owner: '',
    system: '',
    tools: [],
    maxTokens: 10,
    messages,
    begun: 'We open at',
  };
  expect(historyOf(question).at(-1)).toEqual({ type: 'model', response: ['We open at'] });
});

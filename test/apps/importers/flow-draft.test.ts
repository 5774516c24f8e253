import { expect, it } from 'vitest';
import { FlowDraft } from '../../../src/apps/importers/flows/flow-draft.ts';

const named = (...conditions: string[]) => {
  const draft = new FlowDraft();
  return conditions.map((condition) => draft.intent(condition).intent);
};

it('gives conditions that begin alike two intents', () => {
  const condition = 'The caller says in clear words that the appointment is to be';
  expect(named(`${condition} cancelled`, `${condition} moved`, `${condition} cancelled`)).toEqual([
    'the_caller_says_in_clear_words_that_the_appointm',
    'the_caller_says_in_clear_words_that_the_appo_2',
    'the_caller_says_in_clear_words_that_the_appointm',
  ]);
});

it('keeps conditions in other scripts apart', () => {
  expect(named('अपॉइंटमेंट रद्द करना', 'अपॉइंटमेंट बदलना', 'VIP ग्राहक', 'VIP अतिथि')).toEqual([
    'intent',
    'intent_2',
    'vip',
    'vip_2',
  ]);
});

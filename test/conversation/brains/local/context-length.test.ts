// @requirement Local models: The context of a local model is as long as the model and the memory allow.
import { expect, it } from 'vitest';
import {
  contextTokensFor,
  MIN_CONTEXT_TOKENS,
} from '../../../../src/conversation/brains/local/context-length.ts';

const GIB = 2 ** 30;
const need = { trainedTokens: 131_072, calls: 4, fixedBytes: GIB / 2, tokenBytes: 32_768 };

it.each([
  ['as long as the model allows', 17 * GIB, 131_072],
  ['what memory holds for each of the calls, in whole steps', 2.5 * GIB, 16_384],
  ['a little less than a step is none', 2.5 * GIB - 1, 16_128],
  ['no less than a persona and a few turns need', GIB / 2, MIN_CONTEXT_TOKENS],
])('%s', (_what, budgetBytes, tokens) => {
  expect(contextTokensFor({ ...need, budgetBytes })).toBe(tokens);
});

it('is never longer than what the model was trained for, however little that is', () => {
  expect(contextTokensFor({ ...need, trainedTokens: 1_024, budgetBytes: 100 * GIB })).toBe(1_024);
  expect(contextTokensFor({ ...need, trainedTokens: null, budgetBytes: 100 * GIB })).toBe(4_096);
});

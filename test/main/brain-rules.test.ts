// @requirement Brains: The operator's rules choose the language model by plan, language and device, and an agent names what its plan allows.
import { expect, it } from 'vitest';
import { type Brain, createNamedBrains } from '../../src/conversation/brains/index.ts';
import { chooseBrain } from '../../src/main/brain-rules.ts';

const KNOWN = ['default', 'big', 'small'];
const isKnown = (name: string) => KNOWN.includes(name);
const RULES = [
  { language: 'de', plan: 'business', use: ['gone', 'big'] },
  { plan: 'business', use: ['big', 'small'] },
  { language: 'de', use: ['small'] },
  { device: 'cuda', use: ['small'] },
];

it.each([
  [
    'a rule of language and plan goes first, with the first model that there is',
    { language: 'de', plan: 'business' },
    'big',
  ],
  ['a rule of the plan', { language: 'en', plan: 'business' }, 'big'],
  ['a rule of the language', { language: 'de', plan: 'standard' }, 'small'],
  ['a rule of the device', { language: 'en', plan: 'standard', device: 'cuda' }, 'small'],
  ['no rule for this device', { language: 'en', plan: 'standard', device: 'cpu' }, undefined],
  ['no rule: the default', { language: 'en', plan: 'standard' }, undefined],
  ['an agent names what its plan allows', { brain: 'small', language: 'en', plan: 'business' }, 'small'],
  [
    'an agent names what only another plan allows',
    { brain: 'big', language: 'de', plan: 'standard' },
    'small',
  ],
  ['an agent names what no rule lists', { brain: 'default', language: 'en', plan: 'business' }, 'big'],
  ['an agent names a model that is gone', { brain: 'gone', language: 'en', plan: 'business' }, 'big'],
  ['a message, which no plan is known of', { brain: 'big', language: 'en' }, 'big'],
])('%s', (_name, need, expected) => {
  expect(chooseBrain(RULES, isKnown, need)).toBe(expected);
});

it('lets every agent name every model without rules', () => {
  expect(chooseBrain([], isKnown, { brain: 'big', plan: 'standard', language: 'en' })).toBe('big');
});

it('chooses anew for each request, so that a change of the language or of the rules counts at once', async () => {
  const asked: string[] = [];
  const brainOf = (name: string): Brain => ({
    name,
    async *respond() {
      asked.push(name);
      yield { kind: 'text', text: name } as const;
    },
  });
  let rules = RULES;
  const named = createNamedBrains(
    brainOf('default'),
    new Map(['big', 'small'].map((name) => [name, brainOf(name)])),
    (need) => chooseBrain(rules, isKnown, need),
  );
  const ask = async (language: 'en' | 'de') => {
    const request = { language, plan: 'standard', persona: '', messages: [], tools: [], passages: [] };
    for await (const _event of named.respond(request, new AbortController().signal));
  };
  await ask('en');
  await ask('de');
  rules = [];
  await ask('de');
  expect(asked).toEqual(['default', 'small', 'default']);
});

import { describe, expect, it } from 'vitest';
import type { BrainMessage } from '../../../src/conversation/brains/index.ts';
import { apologyAfter } from '../../../src/conversation/session/apologies.ts';
import { AGENT_LANGUAGE_WORDS } from '../../../src/language/text/index.ts';

const agent = (content: string): BrainMessage => ({ role: 'assistant', content });
const caller = (content: string): BrainMessage => ({ role: 'user', content });

describe('an apology for an answer that failed', () => {
  it('puts the agent’s open question again, once', () => {
    const messages = [agent('I can do that. Which day would you like?'), caller('Friday')];
    expect(apologyAfter(messages, 'en', { again: false })).toBe(
      "I'm sorry, I am having trouble right now. Which day would you like?",
    );
    expect(apologyAfter(messages, 'en', { again: true })).toBe(AGENT_LANGUAGE_WORDS.en.phrases.apology);
  });

  it.each([
    [[]],
    [[agent('We open at nine.'), caller('And on Sunday?')]],
    [[agent('Is it Friday? I can do Friday.'), caller('Yes')]],
  ])('asks the caller to repeat theirs where the agent has asked nothing', (messages) => {
    expect(apologyAfter(messages, 'en', { again: false })).toBe(AGENT_LANGUAGE_WORDS.en.phrases.apology);
  });

  it.each([
    ['es', '¿Qué día prefiere?'],
    ['fr', 'Quel jour préférez-vous ?'],
    ['de', 'An welchem Tag?'],
    ['hi', 'किस दिन?'],
  ] as const)('knows a question in %s', (language, question) => {
    expect(apologyAfter([agent(question)], language, { again: false })).toBe(
      `${AGENT_LANGUAGE_WORDS[language].phrases.trouble} ${question}`,
    );
  });
});

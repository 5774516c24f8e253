import { describe, expect, it } from 'vitest';
import { TALKS } from '../../bench/omni/languages.ts';
import type { BrainLanguage } from '../../src/conversation/brains/index.ts';
import { createResponder } from '../../src/conversation/responder/index.ts';
import { ManualClock } from '../foundation/platform/manual-clock.ts';

/** A wrong answer to a spoken question of the benchmark is then a recognition error. */
describe('the benchmark’s questions, in writing', () => {
  const responder = createResponder({ clock: new ManualClock(Date.UTC(2026, 10, 21)) });

  it.each(TALKS.flatMap((talk) => talk.questions.map((question) => ({ ...talk, ...question }))))(
    'get the right answer: $language $text',
    async ({ spoken, persona, text, answer }) => {
      let said = '';
      const request = {
        language: spoken as BrainLanguage,
        persona,
        memory: null,
        messages: [{ role: 'user' as const, content: text }],
        passages: [],
        tools: [],
      };
      for await (const event of responder.respond(request, new AbortController().signal))
        if (event.kind === 'text') said += event.text;
      expect(said).toMatch(answer);
    },
  );
});

import { expect, it } from 'vitest';
import type { Brain, BrainRequest } from '../../../../src/conversation/brains/index.ts';
import { withCurrentTime } from '../../../../src/conversation/brains/index.ts';
import { systemPrompt } from '../../../../src/conversation/brains/prompt.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';

const NOW = Date.UTC(2026, 10, 23, 2);

const REQUEST: BrainRequest = { language: 'en', persona: '', messages: [], tools: [], passages: [] };

async function promptIn(zone: string | undefined): Promise<string> {
  let reported = '';
  const brain: Brain = {
    name: 'noting',
    async *respond(request) {
      reported = systemPrompt(request);
      yield { kind: 'thinking' };
    },
  };
  for await (const _ of withCurrentTime(brain, new ManualClock(NOW), zone).respond(
    REQUEST,
    new AbortController().signal,
  ));
  return reported;
}

it.each([
  ['America/Los_Angeles', 'Today is Sunday 22 November 2026 (America/Los_Angeles).'],
  ['Asia/Kolkata', 'Today is Monday 23 November 2026 (Asia/Kolkata).'],
])('tells a model which day it is in %s', async (zone, line) => {
  expect((await promptIn(zone)).split('\n')).toContain(line);
});

it("takes the host's zone where none is set", async () => {
  expect(await promptIn(undefined)).toContain(`(${new Intl.DateTimeFormat().resolvedOptions().timeZone})`);
});

it('says no day where none is known', () => {
  expect(systemPrompt(REQUEST)).not.toContain('Today is');
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BrainEvent } from '../../../src/conversation/brains/index.ts';
import { createResponder } from '../../../src/conversation/responder/index.ts';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import type { EmbedFunction } from '../../../src/language/retrieval/index.ts';
import { type Engine, embedTexts } from '../../../src/media/engine/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { sharedEngine } from '../../media/engine/shared-engine.ts';
import type { Business, Question } from './businesses/business.ts';
import { DEVELOPMENT } from './businesses/development.ts';
import { HELD_OUT } from './businesses/held-out.ts';
import { SECOND_DEVELOPMENT_A } from './businesses/second-development-a.ts';
import { SECOND_DEVELOPMENT_B } from './businesses/second-development-b.ts';
import { SECOND_HELD_OUT_A } from './businesses/second-held-out-a.ts';
import { SECOND_HELD_OUT_B } from './businesses/second-held-out-b.ts';

const models = new Models();
const absent = models.status('minilm-l6').ready ? '' : 'minilm-l6';
if (absent && process.env.CI === 'true') throw new Error(`absent: ${absent}`);

let engine: Engine;
beforeAll(async () => {
  if (absent) return;
  engine = sharedEngine();
  await engine.prepared();
}, 60_000);
afterAll(() => engine?.destroy());

const embed: EmbedFunction = (texts, signal) => embedTexts(engine, texts, { live: true, signal });

const byWords = createResponder({ clock: new ManualClock() });
const byMeaning = createResponder({ clock: new ManualClock(), embed });

async function eventsOf(business: Business, ask: string, meaning: boolean): Promise<BrainEvent[]> {
  const responder = meaning ? byMeaning : byWords;
  const { language, persona, tools } = business;
  const messages = [{ role: 'user' as const, content: ask }];
  const events: BrainEvent[] = [];
  const request = { language, persona, tools, messages, passages: [] };
  for await (const event of responder.respond(request, new AbortController().signal)) events.push(event);
  return events;
}

const textOf = (events: readonly BrainEvent[]): string =>
  events.map((event) => (event.kind === 'text' ? event.text : '')).join('');

const holds = (text: string, pieces: readonly string[] = []): boolean[] =>
  pieces.map((piece) => text.toLowerCase().includes(piece.toLowerCase()));

const isRight = (text: string, { right, wrong }: Question): boolean =>
  holds(text, right).every(Boolean) && !holds(text, wrong).some(Boolean);

async function score(businesses: readonly Business[], meaning: boolean) {
  const missed: string[] = [];
  let [known, right, toolCalls] = [0, 0, 0];
  const leaked: string[] = [];
  for (const business of businesses) {
    for (const asked of business.questions) {
      const events = await eventsOf(business, asked.ask, meaning);
      const text = textOf(events);
      toolCalls += events.filter(({ kind }) => kind === 'tool_call').length;
      if (holds(text, business.unsaid).some(Boolean)) leaked.push(`${business.name}: ${asked.ask} ${text}`);
      if (asked.right === undefined) {
        if (!isRight(text, asked)) leaked.push(`${business.name}: ${asked.ask} ${text}`);
        continue;
      }
      known += 1;
      if (isRight(text, asked)) right += 1;
      else missed.push(`${business.name}: ${asked.ask} ${text}`);
    }
  }
  return { known, right, share: right / known, toolCalls, leaked, missed };
}

describe.each([
  ['development', DEVELOPMENT],
  ['held out', HELD_OUT],
] as const)('what callers ask six businesses (%s half)', (half, businesses) => {
  it.each(absent ? [false] : [false, true])(
    'is answered by the persona or honestly not; by meaning as well: %s',
    async (meaning) => {
      const result = await score(businesses, meaning);
      console.info(half, meaning ? 'words and meaning' : 'words alone', result);
      expect(result.toolCalls).toBe(0);
      expect(result.leaked).toEqual([]);
      if (meaning) expect(result.share).toBeGreaterThanOrEqual(0.8);
    },
    60_000,
  );
});

describe.each([...DEVELOPMENT, ...HELD_OUT])('$name', (business) => {
  it('keeps to itself what its agent is told, whatever line is asked for', async () => {
    for (const line of business.persona.split(/\n|(?<=\.) /).filter((text) => text.trim() !== '')) {
      const events = await eventsOf(business, line, false);
      expect(events.filter(({ kind }) => kind === 'tool_call')).toEqual([]);
      expect(business.unsaid.filter((piece) => holds(textOf(events), [piece])[0])).toEqual([]);
    }
  });
});

/**
 * These businesses are harder: callers seldom use the persona's words. The responder was not fitted to the held-out
 * half, whose figures are printed apart.
 */
describe.each([
  ['development', [...SECOND_DEVELOPMENT_A, ...SECOND_DEVELOPMENT_B]],
  ['held out', [...SECOND_HELD_OUT_A, ...SECOND_HELD_OUT_B]],
] as const)('what callers ask twelve more businesses (%s half)', (half, businesses) => {
  it.each(absent ? [false] : [false, true])(
    'calls no tool; by meaning as well: %s',
    async (meaning) => {
      const result = await score(businesses, meaning);
      console.info(half, meaning ? 'words and meaning' : 'words alone', result);
      expect(result.toolCalls).toBe(0);
      if (half === 'development' && !meaning) expect(result.leaked).toEqual([]);
    },
    60_000,
  );
});

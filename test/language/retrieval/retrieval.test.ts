import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Brain, BrainEvent } from '../../../src/conversation/brains/index.ts';
import { createResponder } from '../../../src/conversation/responder/index.ts';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import type { EmbedFunction } from '../../../src/language/retrieval/index.ts';
import { type Engine, embedTexts } from '../../../src/media/engine/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { sharedEngine } from '../../media/engine/shared-engine.ts';
import { type Business, HELD_OUT, TUNED } from './paraphrases.ts';

const models = new Models();
const absent = models.status('minilm-l6').ready ? '' : 'minilm-l6';
if (absent && process.env.CI === 'true') throw new Error(`absent: ${absent}`);
if (absent) console.warn(`retrieval by meaning is not tested, for want of ${absent}`);

let engine: Engine;
beforeAll(async () => {
  if (absent) return;
  engine = sharedEngine();
  await engine.prepared();
}, 60_000);
afterAll(() => engine?.destroy());

const embed: EmbedFunction = (texts, signal) => embedTexts(engine, texts, { live: true, signal });

async function answerOf(responder: Brain, business: Business, question: string): Promise<string> {
  const passages = business.facts.map((text) => ({ text }));
  const request = {
    language: 'en' as const,
    persona: '',
    messages: [{ role: 'user' as const, content: question }],
    tools: [],
    passages,
  };
  const events: BrainEvent[] = [];
  for await (const event of responder.respond(request, new AbortController().signal)) events.push(event);
  return events.map((event) => (event.kind === 'text' ? event.text : '')).join('');
}

/**
 * Returns the share of questions answered with their fact (which may be followed by another), and the share of
 * unanswerable questions that got an answer.
 */
async function score(businesses: readonly Business[], options: { meaning: boolean }) {
  const counts = { direct: [0, 0], paraphrased: [0, 0], invented: [0, 0] };
  const missed: string[] = [];
  const note = (kind: keyof typeof counts, hit: boolean, question: string): void => {
    counts[kind][0] = (counts[kind][0] ?? 0) + Number(hit);
    counts[kind][1] = (counts[kind][1] ?? 0) + 1;
    if (hit === (kind === 'invented')) missed.push(`${kind}: ${question}`);
  };
  const responder = createResponder({ clock: new ManualClock(), ...(options.meaning ? { embed } : {}) });
  for (const business of businesses) {
    for (const kind of ['direct', 'paraphrased'] as const) {
      for (const [question, fact] of business[kind]) {
        const answer = await answerOf(responder, business, question);
        note(kind, answer.startsWith(business.facts[fact] ?? '?'), question);
      }
    }
    for (const question of business.unanswerable) {
      const answer = await answerOf(responder, business, question);
      note('invented', !answer.startsWith("I'm sorry"), question);
    }
  }
  const share = ([hits = 0, all = 1]: number[]): number => hits / all;
  const { direct, paraphrased, invented } = counts;
  return { direct: share(direct), paraphrased: share(paraphrased), invented: share(invented), missed };
}

describe.skipIf(Boolean(absent))('retrieval by words and meaning', () => {
  it('finds paraphrases that words alone miss, and invents no more', { timeout: 120_000 }, async () => {
    const tuned = await score(TUNED, { meaning: true });
    const words = await score(HELD_OUT, { meaning: false });
    const both = await score(HELD_OUT, { meaning: true });
    console.info('tuned, words and meaning', tuned);
    console.info('held out, words alone', words);
    console.info('held out, words and meaning', both);
    expect(both.direct).toBeGreaterThanOrEqual(0.9);
    expect(both.paraphrased).toBeGreaterThanOrEqual(0.75);
    expect(both.paraphrased).toBeGreaterThan(words.paraphrased + 0.3);
    expect(both.invented).toBeLessThanOrEqual(0.1);
  });

  it('embeds the same text to the same vector, alone or among others, whatever its length', async () => {
    const texts = ['When do you open?', '', 'x'.repeat(5_000), 'You open when?'];
    const together = await embedTexts(engine, texts, { live: true });
    expect(together).toHaveLength(4);
    for (const [index, text] of texts.entries()) {
      const [alone] = await embedTexts(engine, [text], { live: false });
      expect([...(alone ?? [])]).toEqual([...(together[index] ?? [])]);
    }
    expect(together[1]?.every((value) => value === 0)).toBe(true);
  });
});

describe('without an embedding in time', () => {
  it('answers by words alone', async () => {
    const clock = new ManualClock();
    const asked: string[][] = [];
    const never: EmbedFunction = (texts) => {
      asked.push([...texts]);
      clock.advance(250);
      return new Promise(() => undefined);
    };
    const responder = createResponder({ clock, embed: never });
    const request = {
      language: 'en' as const,
      persona: 'Parking is free. The moon is far.',
      messages: [{ role: 'user' as const, content: 'Is parking free?' }],
      tools: [],
      passages: [],
    };
    const events: BrainEvent[] = [];
    for await (const event of responder.respond(request, new AbortController().signal)) events.push(event);
    expect(events).toEqual([{ kind: 'text', text: 'Parking is free.' }]);
    expect(asked).toHaveLength(1);
  });

  it('asks nothing of a model that knows English alone when another language is spoken', async () => {
    let asked = 0;
    const embed: EmbedFunction = async () => {
      asked++;
      return [];
    };
    const responder = createResponder({ clock: new ManualClock(), embed });
    responder.prepare?.('El aparcamiento es gratis.', 'es');
    const request = {
      language: 'es' as const,
      persona: 'El aparcamiento es gratis.',
      messages: [{ role: 'user' as const, content: '¿El aparcamiento es gratis?' }],
      tools: [],
      passages: [],
    };
    const events: BrainEvent[] = [];
    for await (const event of responder.respond(request, new AbortController().signal)) events.push(event);
    expect(events).toEqual([{ kind: 'text', text: 'El aparcamiento es gratis.' }]);
    expect(asked).toBe(0);
  });
});

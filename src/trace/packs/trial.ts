import type { Verdict } from '../contract.ts';
import { conversationOf, type RawUtterance } from '../conversation.ts';
import { judge, wantedOf } from '../judge.ts';
import type { SenseRoom } from '../learn-senses.ts';
import type { Example, RulePack } from './schema.ts';

/** How a pack's own example came out. */
export interface Trial {
  readonly rule_id: string;
  readonly example: number;
  readonly expected: Example['expect'];
  readonly got: Example['expect'];
  readonly quote: string | null;
  readonly passed: boolean;
}

/** A word takes so long where an example says nothing. */
const WORD_MS = 400;

/** Holds every rule against its own examples. */
export async function tryExamples(pack: RulePack, senses: SenseRoom): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  for (const rule of pack.rules) {
    for (const [index, example] of (rule.examples ?? []).entries()) {
      const applied = [{ id: 'tpack_trial', pack: { ...pack, rules: [rule] } }];
      const conversation = conversationIn(example);
      const verdict = judge(conversation, applied, await senses.learn(wantedOf(conversation, applied)));
      trials.push(trialOf(rule.id, index, example, verdict));
    }
  }
  return trials;
}

function trialOf(rule_id: string, index: number, example: Example, { results, unjudged }: Verdict): Trial {
  const got = unjudged.length > 0 ? 'unjudged' : results.length > 0 ? 'hit' : 'none';
  const quote = results[0]?.evidence.quote ?? null;
  const passed = got === example.expect && (example.quote === undefined || example.quote === quote);
  return { rule_id, example: index, expected: example.expect, got, quote, passed };
}

/** Turns follow one another, unless they say when they begin. */
export function conversationIn(example: Example) {
  let at = 0;
  const utterances = example.turns.map(({ agent, customer, at_ms, for_ms }): RawUtterance => {
    const text = agent ?? customer ?? '';
    const startMs = at_ms ?? at;
    const endMs = startMs + (for_ms ?? text.split(/\s+/).length * WORD_MS);
    at = endMs + WORD_MS;
    return { speaker: agent === undefined ? 'customer' : 'agent', text, startMs, endMs };
  });
  return conversationOf({
    source: { kind: 'transcript', id: null },
    language: example.language ?? 'en',
    customerNumber: example.customer_number ?? null,
    direction: 'outbound',
    startedAt: example.started_at ?? null,
    recordedFromMs: example.recorded_from_ms ?? null,
    knowledge: example.knowledge ?? null,
    utterances,
  });
}

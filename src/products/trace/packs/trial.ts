import type { TraceVerdict } from '../contract.ts';
import { conversationOf, type RawUtterance } from '../conversation.ts';
import { judge, wantedOf } from '../judge.ts';
import type { JudgementInputCollector } from '../judgement-input-collector.ts';
import {
  type JudgementInputData,
  type JudgementInputs,
  judgementInputsOf,
  type RequiredInputs,
} from '../judgement-inputs.ts';
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
export async function tryExamples(
  pack: RulePack,
  inputs: Pick<JudgementInputCollector, 'gather'>,
): Promise<readonly Trial[]> {
  return trialsOf(pack, await Promise.all(wantedByExamples(pack).map((wanted) => inputs.gather(wanted))));
}

/** Collects what the examples of a pack need, by language. */
export function wantedByExamples(pack: RulePack): readonly RequiredInputs[] {
  const wanted = new Map<string | null, RequiredInputs[]>();
  for (const { conversation, applied } of examplesOf(pack)) {
    const { language } = conversation;
    const known = wanted.get(language) ?? [];
    known.push(wantedOf(conversation, applied));
    wanted.set(language, known);
  }
  return [...wanted].map(([language, all]) => ({
    language,
    words: [...new Set(all.flatMap(({ words }) => words))],
    sentences: [...new Set(all.flatMap(({ sentences }) => sentences))],
    numbers: [...new Set(all.flatMap(({ numbers }) => numbers))],
  }));
}

/** `known`: what was gathered for each language. */
export function trialsOf(pack: RulePack, known: readonly JudgementInputData[]): readonly Trial[] {
  const inputs = new Map(known.map((data) => [data.language, judgementInputsOf(data)]));
  return examplesOf(pack).map(({ rule, index, example, conversation, applied }) => {
    const verdict = judge(conversation, applied, inputs.get(conversation.language ?? '') as JudgementInputs);
    return trialOf(rule.id, index, example, verdict);
  });
}

const examplesOf = (pack: RulePack) =>
  pack.rules.flatMap((rule) =>
    (rule.examples ?? []).map((example, index) => ({
      rule,
      index,
      example,
      conversation: conversationIn(example),
      applied: [{ id: 'tpack_trial', pack: { ...pack, rules: [rule] } }],
    })),
  );

function trialOf(
  rule_id: string,
  index: number,
  example: Example,
  { results, unjudged }: TraceVerdict,
): Trial {
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

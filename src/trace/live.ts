import type { Reach } from '../access/contract.ts';
import { type AgentLanguage, SPOKEN } from '../language/index.ts';
import type { Conversation, Utterance } from './contract.ts';
import { type AppliedPack, judgeRule } from './judge.ts';
import type { Rule } from './packs/schema.ts';
import type { Packs } from './packs/store.ts';
import type { Senses } from './senses.ts';
import type { SettingsStore, TraceSettings } from './settings.ts';
import { Subject } from './subject.ts';

/** What becomes of words that break a rule. */
export interface LiveRuling {
  readonly kind: 'flagged' | 'blocked' | 'handed_over';
  /** `pack_id@version/rule_id`. */
  readonly rule: string;
  /** What is spoken in their place. */
  readonly instead: string;
}

export type LiveGuard = (before: string, piece: string, language: AgentLanguage) => LiveRuling | null;

/** What was said right before counts along with a piece: a phrase may go over both. */
const LOOK_BACK = 240;
const KINDS = { flag: 'flagged', block: 'blocked', handoff: 'handed_over' } as const;

/** Words that a machine wrote are held against letters alone: nobody misheard them, and nothing is waited for. */
const LETTERS: Senses = { sounds: () => null, likeness: () => null, zones: () => null };

interface NamedRule {
  readonly name: string;
  readonly rule: Rule;
}

/** Judges what agents are about to say, by the rules that one clause can break: phrases, patterns and personal data. */
export class LiveGuards {
  readonly #settings: SettingsStore;
  readonly #packs: Packs;

  constructor(settings: SettingsStore, packs: Packs) {
    this.#settings = settings;
    this.#packs = packs;
  }

  /** Null: the agent's words are not looked at. */
  async of(reach: Reach, agentId: string | null): Promise<LiveGuard | null> {
    const settings = await this.#settings.of(reach, agentId);
    if (!settings.enabled) return null;
    const rules = liveRules(await this.#packs.chosen(reach, settings.rule_packs));
    return rules.length === 0 ? null : guardOf(rules, settings.actions);
  }
}

const liveRules = (packs: readonly AppliedPack[]): NamedRule[] =>
  packs.flatMap(({ pack: { pack_id, version, rules } }) =>
    rules.filter(isLive).map((rule) => ({ name: `${pack_id}@${version}/${rule.id}`, rule })),
  );

function isLive(rule: Rule): boolean {
  if (rule.outcome === 'finding') return false;
  return (
    (rule.kind === 'phrase' || rule.kind === 'regex' || rule.kind === 'entity') && rule.speaker !== 'customer'
  );
}

/** The guard of one call. */
export function guardOf(rules: readonly NamedRule[], actions: TraceSettings['actions']): LiveGuard {
  return (before, piece, language) => {
    const back = before.slice(-LOOK_BACK);
    const text = back === '' ? piece : `${back} ${piece}`;
    const subject = new Subject(saying(text.normalize('NFC'), language), LETTERS);
    const broken = rules.find(({ rule }) => reaches(rule, subject, back.normalize('NFC').length));
    if (broken === undefined) return null;
    const { handOver, unknown } = SPOKEN[language].phrases;
    const own = actions.on_violation === 'handoff' ? handOver : unknown;
    return {
      kind: KINDS[actions.on_violation],
      rule: broken.name,
      instead: actions.safe_line?.trim() || own,
    };
  };
}

/** Whether the rule is broken by what is new: what ends before it was judged with the piece before. */
function reaches(rule: Rule, subject: Subject, from: number): boolean {
  const judgement = judgeRule(rule, subject);
  return judgement.kind === 'judged' && judgement.hits.some(({ span }) => span !== null && span.end > from);
}

function saying(text: string, language: string): Conversation {
  const utterance: Utterance = { speaker: 'agent', label: null, text, startMs: 0, endMs: 0, words: [] };
  return {
    source: { kind: 'transcript', id: null },
    language,
    agentId: null,
    agentVersion: null,
    externalId: null,
    customerNumber: null,
    direction: null,
    startedAt: null,
    recordedFromMs: null,
    timed: false,
    knowledge: null,
    utterances: [utterance],
  };
}

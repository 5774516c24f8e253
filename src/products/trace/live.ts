import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { AGENT_LANGUAGE_WORDS, type AgentLanguage } from '../../language/text/index.ts';
import type { Conversation, Role, Utterance } from './contract.ts';
import { type AppliedPack, judgeRule, wantedBy } from './judge.ts';
import type { JudgementInputCollector } from './judgement-input-collector.ts';
import type { JudgementInputs, RequiredInputs } from './judgement-inputs.ts';
import type { Rule } from './packs/schema.ts';
import type { Packs } from './packs/store.ts';
import type { TraceSettings, TraceSettingsStore } from './settings.ts';
import { JudgedConversation } from './subject.ts';

export interface LiveRuling {
  readonly kind: 'flagged' | 'blocked' | 'handed_over';
  readonly rule: string;
  readonly instead: string;
}

/** Judges the words of one call while it goes on. */
export interface LiveGuard {
  /** Judges the text that the agent is about to speak. */
  spoken(before: string, piece: string, language: AgentLanguage): LiveRuling | null;
  /** The semantic rules; absent when there are none. `stops` is set where a ruling does more than flag. */
  readonly meant?: {
    readonly stops: boolean;
    ask(piece: string, language: AgentLanguage): Promise<LiveRuling | null>;
  };
  /** Judges the caller's words by letters, sounds and meaning. It is absent where no rule needs it. */
  heard?(text: string, language: AgentLanguage): Promise<LiveRuling | null>;
}

/** The preceding words are matched along with a piece, because a phrase may span both. */
const LOOK_BACK = 240;
const KINDS = { flag: 'flagged', block: 'blocked', handoff: 'handed_over' } as const;
/** A call waits at most this long for sounds and meanings; findings after that are made when the call has ended. */
const TIMEOUT_MS = 250;

/** The agent's own text was not misheard, so letters suffice and nothing is awaited. */
const LETTERS: JudgementInputs = { sounds: () => null, similarity: () => null, zones: () => null };

export interface NamedRule {
  readonly name: string;
  readonly rule: Rule;
}

export interface LiveNeeds {
  readonly inputs: Pick<JudgementInputCollector, 'learn'>;
  readonly clock: Pick<Clock, 'after'>;
}

/** Judges live calls by the rules that a single clause can break: phrases, patterns, personal data and topics. */
export class LiveGuards {
  readonly #settings: TraceSettingsStore;
  readonly #packs: Packs;
  readonly #needs: LiveNeeds;

  constructor(settings: TraceSettingsStore, packs: Packs, needs: LiveNeeds) {
    this.#settings = settings;
    this.#packs = packs;
    this.#needs = needs;
  }

  /** Returns how alike a sentence is to the likest of others in meaning; null where that is not known in time. */
  readonly similarity = async (
    text: string,
    others: readonly string[],
    language: AgentLanguage,
  ): Promise<number | null> => {
    const wanted = { language, words: [], sentences: [text, ...others], numbers: [] };
    const known = await learnt(wanted, this.#needs);
    const all = others.flatMap((one) => known.similarity(text, one, language) ?? []);
    return all.length === 0 ? null : Math.max(...all);
  };

  /** Returns null where no rule looks at words. */
  async guardFor(scope: TenantScope, agentId: string | null): Promise<LiveGuard | null> {
    const settings = await this.#settings.of(scope, agentId);
    if (!settings.enabled) return null;
    const rules = liveRules(await this.#packs.chosen(scope, settings.rule_packs));
    if (rules.length === 0) return null;
    // The embeddings of topics are ready before anybody speaks.
    const topics = rules.map(({ rule }) => rule).filter(({ kind }) => kind === 'topic');
    if (topics.length > 0) void this.#needs.inputs.learn(wantedBy(saying('agent', '', 'en'), topics));
    return guardOf(rules, settings.actions, this.#needs);
  }
}

const liveRules = (packs: readonly AppliedPack[]): NamedRule[] =>
  packs.flatMap(({ pack: { pack_id, version, rules } }) =>
    rules.filter(isLive).map((rule) => ({ name: `${pack_id}@${version}/${rule.id}`, rule })),
  );

const LIVE: ReadonlySet<Rule['kind']> = new Set(['phrase', 'regex', 'entity', 'topic']);
const isLive = ({ outcome, kind }: Rule): boolean => outcome !== 'finding' && LIVE.has(kind);

/** Without a speaker, a topic rule applies to the agent. */
const isOf = (side: 'agent' | 'customer', { kind, speaker }: Rule): boolean => {
  const whose = speaker ?? (kind === 'topic' ? 'agent' : 'any');
  return whose === 'any' || whose === side;
};

export function guardOf(
  rules: readonly NamedRule[],
  actions: TraceSettings['actions'],
  needs: LiveNeeds,
): LiveGuard {
  const agents = rules.filter(({ rule }) => isOf('agent', rule));
  const lettered = agents.filter(({ rule }) => rule.kind !== 'topic');
  const meant = agents.filter(({ rule }) => rule.kind === 'topic');
  const heard = rules.filter(({ rule }) => isOf('customer', rule));
  const action = actions.on_violation;
  const ruling = (broken: NamedRule | undefined, kind: LiveRuling['kind'], language: AgentLanguage) =>
    broken === undefined
      ? null
      : { kind, rule: broken.name, instead: actions.safe_line?.trim() || lineOf(action, language) };
  return {
    spoken: (before, piece, language) => {
      const back = before.slice(-LOOK_BACK).normalize('NFC');
      const text = back === '' ? piece : `${back} ${piece}`;
      const subject = new JudgedConversation(saying('agent', text.normalize('NFC'), language), LETTERS);
      return ruling(brokenBy(lettered, subject, back.length), KINDS[action], language);
    },
    ...(meant.length === 0
      ? {}
      : {
          meant: {
            stops: action !== 'flag',
            ask: async (piece, language) => {
              const broken = await considered(meant, saying('agent', piece, language), needs);
              return ruling(broken, KINDS[action], language);
            },
          },
        }),
    ...(heard.length === 0
      ? {}
      : {
          heard: async (text, language) => {
            const broken = await considered(heard, saying('customer', text, language), needs);
            // Words that were already spoken can only be flagged, or the call handed over.
            return ruling(broken, action === 'handoff' ? 'handed_over' : 'flagged', language);
          },
        }),
  };
}

function lineOf(action: TraceSettings['actions']['on_violation'], language: AgentLanguage): string {
  const { handOver, unknown } = AGENT_LANGUAGE_WORDS[language].phrases;
  return action === 'handoff' ? handOver : unknown;
}

/** Judges by letters, and by sounds and meanings where they arrive in time. */
async function considered(
  rules: readonly NamedRule[],
  conversation: Conversation,
  needs: LiveNeeds,
): Promise<NamedRule | undefined> {
  const wanted = wantedBy(
    conversation,
    rules.map(({ rule }) => rule),
  );
  const known = await learnt(wanted, needs);
  return brokenBy(rules, new JudgedConversation(conversation, known), 0);
}

const learnt = (wanted: RequiredInputs, { inputs, clock }: LiveNeeds): Promise<JudgementInputs> =>
  new Promise((resolve) => {
    const stop = clock.after(TIMEOUT_MS, () => resolve(LETTERS));
    const settle = (known: JudgementInputs) => {
      stop();
      resolve(known);
    };
    inputs.learn(wanted).then(settle, () => settle(LETTERS));
  });

/**
 * Returns the first rule that the new words break; a match that ends before them was judged with the previous piece.
 */
const brokenBy = (
  rules: readonly NamedRule[],
  subject: JudgedConversation,
  from: number,
): NamedRule | undefined =>
  rules.find(({ rule }) => {
    const judgement = judgeRule(rule, subject);
    return judgement.kind === 'judged' && judgement.hits.some(({ span }) => span !== null && span.end > from);
  });

function saying(speaker: Role, text: string, language: string): Conversation {
  const said = text.normalize('NFC');
  const utterance: Utterance = { speaker, label: null, text: said, startMs: 0, endMs: 0, words: [] };
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

import { createHash } from 'node:crypto';
import { sentencesOf } from '../../language/retrieval/index.ts';
import { plainText, tokensOf } from '../../language/text/index.ts';
import type {
  Conversation,
  ExposureAmount,
  JudgedRule,
  Judgement,
  Severity,
  TraceVerdict,
  WithheldWords,
} from './contract.ts';
import { evidenceOf, evidenceOfWithheld } from './evidence.ts';
import type { JudgementInputs, RequiredInputs } from './judgement-inputs.ts';
import { canonical, phrasesOf, tagOf, topicsOf } from './packs/reading.ts';
import type { Rule, RulePack } from './packs/schema.ts';
import { judgeDisclosure, judgeRecordingConsent, judgeSequence } from './rules/order.ts';
import { judgeSilence, judgeTalkOver } from './rules/pace.ts';
import { judgeQuietHours } from './rules/quiet-hours.ts';
import { judgeEntity, judgePhrase, judgeRegex, judgeTopic } from './rules/spoken-phrase.ts';
import { judgeUnsupportedClaim, namesFigure } from './rules/unsupported-claim.ts';
import { isWord, JudgedConversation, sentencesIn, WorkLimitExceeded } from './subject.ts';

/** A pack in use; `severity` overrides that of its violations. */
export interface AppliedPack {
  readonly id: string;
  readonly pack: RulePack;
  readonly severity?: Severity | undefined;
}

const MICROS = 1_000_000;

/** Judges a conversation. The function is synchronous and deterministic. */
export function judge(
  conversation: Conversation,
  packs: readonly AppliedPack[],
  inputs: JudgementInputs,
): TraceVerdict {
  const subject = new JudgedConversation(conversation, inputs);
  const results: JudgedRule[] = [];
  const unjudged: TraceVerdict['unjudged'][number][] = [];
  for (const applied of packs) {
    for (const rule of applied.pack.rules) {
      const judgement = judgeRule(rule, subject);
      if (judgement.kind === 'unjudged')
        unjudged.push({ pack_id: applied.pack.pack_id, rule_id: rule.id, reason: judgement.reason });
      else
        for (const hit of judgement.hits)
          results.push(judgedOf(applied, rule, evidenceOf(conversation, hit)));
    }
  }
  for (const words of conversation.withheld ?? []) results.push(withheldOf(packs, words));
  const broken = results.some(({ outcome }) => outcome === 'violation');
  const verdict = broken ? 'violations' : results.length > 0 ? 'findings' : 'clean';
  return { verdict, results, unjudged, digest: digestOf(conversation, packs, results, unjudged) };
}

export function judgeRule(rule: Rule, subject: JudgedConversation): Judgement {
  subject.beginRule();
  try {
    return judgeKind(rule, subject);
  } catch (error) {
    if (error instanceof WorkLimitExceeded) return { kind: 'unjudged', reason: 'too_much_work' };
    throw error;
  }
}

function judgeKind(rule: Rule, subject: JudgedConversation): Judgement {
  switch (rule.kind) {
    case 'phrase':
      return judgePhrase(rule, subject);
    case 'regex':
      return judgeRegex(rule, subject);
    case 'entity':
      return judgeEntity(rule, subject);
    case 'disclosure':
      return judgeDisclosure(rule, subject);
    case 'topic':
      return judgeTopic(rule, subject);
    case 'quiet_hours':
      return judgeQuietHours(rule, subject);
    case 'recording_consent':
      return judgeRecordingConsent(rule, subject);
    case 'sequence':
      return judgeSequence(rule, subject);
    case 'silence':
      return judgeSilence(rule, subject);
    case 'talk_over':
      return judgeTalkOver(rule, subject);
    case 'unsupported_claim':
      return judgeUnsupportedClaim(rule, subject);
  }
}

const judgedOf = (
  { id, pack, severity }: AppliedPack,
  rule: Rule,
  evidence: JudgedRule['evidence'],
): JudgedRule => ({
  pack: id,
  pack_id: pack.pack_id,
  pack_version: pack.version,
  rule_id: rule.id,
  title: rule.title,
  outcome: rule.outcome ?? 'violation',
  severity: severity ?? rule.severity,
  evidence,
  effect: rule.effect ?? null,
  exposure: exposureOf(rule),
});

const exposureOf = ({ exposure, outcome }: Rule): ExposureAmount | null =>
  exposure === undefined || outcome === 'finding'
    ? null
    : {
        currency: exposure.currency,
        least_micros: exposure.least * MICROS,
        most_micros: exposure.most * MICROS,
      };

/** A withheld sentence is a violation although it was not audible. */
function withheldOf(packs: readonly AppliedPack[], words: WithheldWords): JudgedRule {
  const evidence = evidenceOfWithheld(words);
  const [, packId = '', version = '', ruleId = ''] = /^(.*)@(.*)\/(.*)$/.exec(words.rule) ?? [];
  const applied = packs.find(({ pack }) => pack.pack_id === packId && pack.version === version);
  const rule = applied?.pack.rules.find(({ id }) => id === ruleId);
  if (applied !== undefined && rule !== undefined)
    return { ...judgedOf(applied, rule, evidence), outcome: 'violation', effect: null };
  // The configuration was changed during the call.
  return {
    pack: packId,
    pack_id: packId,
    pack_version: version,
    rule_id: ruleId,
    title: ruleId,
    outcome: 'violation',
    severity: 'medium',
    evidence,
    effect: null,
    exposure: null,
  };
}

function digestOf(
  { source: _source, ...conversation }: Conversation,
  packs: readonly AppliedPack[],
  results: readonly JudgedRule[],
  unjudged: TraceVerdict['unjudged'],
): string {
  const applied = packs.map(({ id, pack, severity }) => [id, tagOf(pack), severity ?? null]);
  return createHash('sha256')
    .update(canonical([conversation, applied, results, unjudged]))
    .digest('hex');
}

/** Lists what the packs need of a conversation; it is gathered before judging. */
export const wantedOf = (conversation: Conversation, packs: readonly AppliedPack[]): RequiredInputs =>
  wantedBy(
    conversation,
    packs.flatMap(({ pack }) => pack.rules),
  );

export function wantedBy(conversation: Conversation, rules: readonly Rule[]): RequiredInputs {
  const { language, customerNumber, knowledge } = conversation;
  const phrases = rules.filter(needsSounds).flatMap(phrasesOf);
  const said = phrases.length === 0 ? [] : conversation.utterances.map(({ text }) => text);
  const own = phrases.flatMap((each) => (language === null ? [] : (each[language] ?? [])));
  const words = [...said, ...own].flatMap((text) => tokensOf(plainText(text)).map(({ text: word }) => word));
  const topics = rules.flatMap(topicsOf);
  const claims = rules.some(({ kind }) => kind === 'unsupported_claim')
    ? (knowledge ?? []).flatMap(sentencesOf).filter(namesFigure)
    : [];
  const means = topics.length > 0 || claims.length > 0;
  const spoken = means ? sentencesIn(conversation).map(({ text }) => text) : [];
  const sentences = topics.length > 0 ? spoken : spoken.filter(namesFigure);
  return {
    language,
    words: [...new Set(words.filter(isWord))],
    sentences: [...new Set([...topics, ...claims, ...sentences])],
    numbers:
      customerNumber !== null && rules.some(({ kind }) => kind === 'quiet_hours') ? [customerNumber] : [],
  };
}

const needsSounds = (rule: Rule): boolean => !('tolerance' in rule) || rule.tolerance !== 'exact';

import type { Judgement } from '../contract.ts';
import { findEntities, findPattern, findPhrases, findTopic, judged } from '../match/matcher.ts';
import type { RuleOf } from '../packs/schema.ts';
import type { JudgedConversation } from '../subject.ts';

/** Rules about what is said: each place of it is a hit. */

export const judgePhrase = (rule: RuleOf<'phrase'>, subject: JudgedConversation): Judgement =>
  judged(findPhrases(subject, rule.speaker ?? 'any', rule.phrases, rule.tolerance), 'said');

export const judgeRegex = (rule: RuleOf<'regex'>, subject: JudgedConversation): Judgement =>
  judged(findPattern(subject, rule.speaker ?? 'any', rule.pattern), 'said');

export const judgeEntity = (rule: RuleOf<'entity'>, subject: JudgedConversation): Judgement =>
  judged(findEntities(subject, rule.speaker ?? 'any', rule.entities), 'personal data was said');

export const judgeTopic = (rule: RuleOf<'topic'>, subject: JudgedConversation): Judgement =>
  judged(findTopic(subject, rule.speaker ?? 'agent', rule.topic), 'spoke about a forbidden topic');

import type { Hit, Judgement, Utterance } from '../contract.ts';
import type { RuleOf } from '../packs/schema.ts';
import type { JudgedConversation } from '../subject.ts';

/** Rules about who speaks when, and when nobody does. */

export function judgeSilence(rule: RuleOf<'silence'>, { conversation }: JudgedConversation): Judgement {
  if (!conversation.timed) return { kind: 'unjudged', reason: 'no_times' };
  const hits: Hit[] = [];
  let quietFrom = conversation.utterances[0]?.endMs ?? 0;
  for (const [index, { text, startMs, endMs }] of conversation.utterances.entries()) {
    const quiet = (startMs - quietFrom) / 1000;
    if (quiet > rule.longest_s) {
      const span = { utterance: index, start: 0, end: text.length, likeness: 1, held: '' };
      hits.push({ span, detail: `nobody spoke for ${quiet.toFixed(1)} s before this` });
    }
    quietFrom = Math.max(quietFrom, endMs);
  }
  return { kind: 'judged', hits };
}

export function judgeTalkOver(rule: RuleOf<'talk_over'>, { conversation }: JudgedConversation): Judgement {
  if (!conversation.timed) return { kind: 'unjudged', reason: 'no_times' };
  if (conversation.utterances.every(({ speaker }) => speaker === 'unknown'))
    return { kind: 'unjudged', reason: 'speakers_unknown' };
  const hits: Hit[] = [];
  let before: Utterance | null = null;
  for (const [index, utterance] of conversation.utterances.entries()) {
    const mine = rule.speaker === undefined || rule.speaker === 'any' || rule.speaker === utterance.speaker;
    const over = before === null || before.speaker === utterance.speaker ? 0 : overlap(before, utterance);
    if (mine && over > rule.longest_s) {
      const span = { utterance: index, start: 0, end: utterance.text.length, likeness: 1, held: '' };
      hits.push({ span, detail: `spoke for ${over.toFixed(1)} s while the other side still spoke` });
    }
    if (before === null || utterance.endMs > before.endMs) before = utterance;
  }
  return { kind: 'judged', hits };
}

const overlap = (a: Utterance, b: Utterance): number =>
  Math.max(0, Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs)) / 1000;

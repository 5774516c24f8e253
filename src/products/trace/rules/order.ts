import type { Judgement, Span } from '../contract.ts';
import { startOf } from '../evidence.ts';
import { findMatches, findPhrases, isFound, judged } from '../match/matcher.ts';
import type { RuleOf } from '../packs/schema.ts';
import type { JudgedConversation } from '../subject.ts';

/** Rules about when something is said. */

/** The words that were due, within so many seconds of somebody's first words. */
export function judgeDisclosure(rule: RuleOf<'disclosure'>, subject: JudgedConversation): Judgement {
  const speaker = rule.speaker ?? 'agent';
  if (!subject.conversation.timed) return { kind: 'unjudged', reason: 'no_times' };
  const from = subject.by(rule.after ?? speaker);
  if (from === null) return { kind: 'unjudged', reason: 'speakers_unknown' };
  const first = from[0];
  if (first === undefined) return { kind: 'judged', hits: [] };
  const found = findPhrases(subject, speaker, rule.phrases, rule.tolerance);
  if (!isFound(found)) return { kind: 'unjudged', reason: found };
  const due = subject.at(first).startMs + rule.within_s * 1000;
  if (found.some((span) => startOf(subject.conversation, span) <= due)) return { kind: 'judged', hits: [] };
  const late = found[0];
  const detail =
    late === undefined
      ? `the disclosure was never said; it was due within ${rule.within_s} s`
      : `first said ${seconds(startOf(subject.conversation, late) - due)} s too late`;
  return { kind: 'judged', hits: [{ span: late ?? wholeOf(subject, first), detail }] };
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);

const wholeOf = (subject: JudgedConversation, utterance: number): Span => ({
  utterance,
  start: 0,
  end: subject.at(utterance).text.length,
  likeness: 1,
  held: '',
});

/** One thing that has to come before another. */
export function judgeSequence(rule: RuleOf<'sequence'>, subject: JudgedConversation): Judgement {
  const speaker = rule.speaker ?? 'any';
  const later = findMatches(subject, rule.later, speaker);
  if (!isFound(later) || later.length === 0) return judged(later, '');
  const first = findMatches(subject, rule.first, speaker);
  if (!isFound(first)) return { kind: 'unjudged', reason: first };
  const early = first[0];
  const unprepared = later.filter((span) => early === undefined || isBefore(span, early));
  return judged(unprepared, 'said before what must come first');
}

const isBefore = (a: Span, b: Span): boolean =>
  a.utterance < b.utterance || (a.utterance === b.utterance && a.start < b.start);

/** No frame is recorded before the line that says so. */
export function judgeRecordingConsent(
  rule: RuleOf<'recording_consent'>,
  subject: JudgedConversation,
): Judgement {
  const { recordedFromMs, timed } = subject.conversation;
  if (recordedFromMs === null) return { kind: 'unjudged', reason: 'no_recording' };
  if (!timed) return { kind: 'unjudged', reason: 'no_times' };
  const found = findPhrases(subject, rule.speaker ?? 'agent', rule.phrases, rule.tolerance);
  if (!isFound(found)) return { kind: 'unjudged', reason: found };
  const line = found[0];
  if (line !== undefined && startOf(subject.conversation, line) <= firstRecorded(subject, recordedFromMs))
    return { kind: 'judged', hits: [] };
  const detail =
    line === undefined
      ? 'the call was recorded without the consent line'
      : 'the recording started before the consent line';
  return { kind: 'judged', hits: [{ span: line ?? null, detail }] };
}

/** The consent line itself may be the first that is recorded: what counts is the customer's first recorded word. */
function firstRecorded({ conversation }: JudgedConversation, recordedFromMs: number): number {
  const customer = conversation.utterances.find(
    ({ speaker, endMs }) => speaker !== 'agent' && endMs > recordedFromMs,
  );
  return Math.max(recordedFromMs, customer?.startMs ?? Number.POSITIVE_INFINITY);
}

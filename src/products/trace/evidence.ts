import type { Conversation, Evidence, Hit, Span, TimedWord, Utterance, WithheldWords } from './contract.ts';

function wordsOf({ text, words }: Utterance, { start, end }: Span): TimedWord[] {
  const touched: TimedWord[] = [];
  let at = 0;
  for (const word of words) {
    const said = word.word.trim();
    const place = text.indexOf(said, at);
    if (place < 0) continue;
    at = place + said.length;
    if (place < end && start < at) touched.push(word);
  }
  return touched;
}

interface Times {
  readonly startMs: number;
  readonly endMs: number;
  readonly timing: 'words' | 'utterance';
}

/** Takes the times of the words, or the span's share of the utterance. */
function timesOf(utterance: Utterance, span: Span): Times {
  const words = wordsOf(utterance, span);
  const [first, last] = [words[0], words.at(-1)];
  if (first !== undefined && last !== undefined)
    return { startMs: Math.round(first.start * 1000), endMs: Math.round(last.end * 1000), timing: 'words' };
  const length = Math.max(1, utterance.text.length);
  const of = (at: number) =>
    Math.round(utterance.startMs + ((utterance.endMs - utterance.startMs) * Math.min(at, length)) / length);
  return { startMs: of(span.start), endMs: of(span.end), timing: 'utterance' };
}

export const startOf = ({ utterances }: Conversation, span: Span): number =>
  timesOf(utterances[span.utterance] as Utterance, span).startMs;

/** Recognizers time words tightly, so the clip has a margin. */
const MARGIN_MS = 100;

export function evidenceOf(conversation: Conversation, { span, detail }: Hit): Evidence {
  const none = { start_ms: null, end_ms: null, timing: 'none' as const, audio: null, confidence: null };
  if (span === null) return { speaker: 'unknown', quote: '', ...none, likeness: 1, held_against: '', detail };
  const utterance = conversation.utterances[span.utterance] as Utterance;
  const said = {
    speaker: utterance.speaker,
    quote: utterance.text.slice(span.start, span.end),
    likeness: span.likeness,
    held_against: span.held,
    detail,
  };
  if (!conversation.timed) return { ...said, ...none };
  const { startMs, endMs, timing } = timesOf(utterance, span);
  const sure = wordsOf(utterance, span).flatMap(({ confidence }) => confidence ?? []);
  return {
    ...said,
    start_ms: startMs,
    end_ms: endMs,
    timing,
    audio: { start_ms: Math.max(0, startMs - MARGIN_MS), end_ms: endMs + MARGIN_MS },
    confidence: sure.length === 0 ? null : Math.min(...sure),
  };
}

/** Withheld words have no audio, because nobody heard them. */
export const evidenceOfWithheld = ({ text, startMs, endMs }: WithheldWords): Evidence => ({
  speaker: 'agent',
  quote: text,
  start_ms: startMs,
  end_ms: endMs,
  timing: startMs === null ? 'none' : 'utterance',
  audio: null,
  confidence: null,
  likeness: 1,
  held_against: '',
  detail: 'held back before it was spoken',
});

export const startsOfRule = ({ evidence }: { readonly evidence: Evidence }) => ({
  quote: evidence.quote,
  start_ms: evidence.start_ms,
  detail: evidence.detail,
});

import { type PiiEntity, piiTagOf, scanForPii } from '../../../language/pii/index.ts';
import { type AgentLanguage, findPhonetic, type PhoneticSpan } from '../../../language/text/index.ts';
import type { Judgement, Span, Unjudged } from '../contract.ts';
import type { Matcher, Phrases, Topic } from '../packs/schema.ts';
import type { JudgedConversation, Speaker } from '../subject.ts';
import { patternOf, phrasesOf } from './compiled.ts';
import { type CompiledPhrase, findPhrase } from './phrase.ts';

export type MatcherResult = readonly Span[] | Unjudged;
export const isFound = (found: MatcherResult): found is readonly Span[] => typeof found !== 'string';

/** The most matches of one rule in one conversation, so that a repetitive transcript stays bounded. */
export const MOST_PLACES = 200;
/** A phrase of fewer phonemes occurs inside too many words. */
const FEWEST_SOUNDS = 9;
/** One phoneme in this many may differ. */
const SOUNDS_AN_EDIT = 9;
/** The default similarity of a sentence with an example of the topic. */
const SAME_TOPIC = 0.6;

const byPlace = (a: Span, b: Span): number => a.utterance - b.utterance || a.start - b.start || a.end - b.end;
const cut = (spans: Span[]): Span[] => spans.sort(byPlace).slice(0, MOST_PLACES);

export const judged = (found: MatcherResult, detail: string): Judgement =>
  isFound(found)
    ? { kind: 'judged', hits: found.map((span) => ({ span, detail })) }
    : { kind: 'unjudged', reason: found };

/** Finds phrases by their words and, unless the rule is exact, by their sounds. */
export function findPhrases(
  subject: JudgedConversation,
  speaker: Speaker,
  phrases: Phrases,
  tolerance: 'exact' | 'sound' = 'sound',
): MatcherResult {
  const utterances = subject.by(speaker);
  if (utterances === null) return 'speakers_unknown';
  const { language } = subject;
  const own = language === null ? undefined : phrases[language];
  if (language === null || own === undefined) return 'language';
  const compiled = phrasesOf(own);
  const spans: Span[] = [];
  for (const utterance of utterances) {
    const exact = compiled.flatMap((phrase) => exactly(subject, utterance, phrase, language));
    spans.push(...exact);
    if (tolerance === 'sound') spans.push(...bySound(subject, utterance, compiled, exact, language));
  }
  return cut(withoutOverlaps(spans));
}

function exactly(
  subject: JudgedConversation,
  utterance: number,
  phrase: CompiledPhrase,
  language: AgentLanguage,
): Span[] {
  const tokens = subject.tokens(utterance);
  subject.spend(tokens.length * 4);
  return findPhrase(tokens, phrase, language).map((span) => ({
    ...span,
    utterance,
    likeness: 1,
    held: phrase.text,
  }));
}

function bySound(
  subject: JudgedConversation,
  utterance: number,
  phrases: readonly CompiledPhrase[],
  exact: readonly Span[],
  language: AgentLanguage,
): Span[] {
  const words = subject.soundings(utterance);
  if (words === null) return [];
  const length = words.reduce((sum, { sounds }) => sum + sounds.length, 0);
  const spans: Span[] = [];
  for (const phrase of phrases) {
    const sounds = soundsOf(subject, phrase, language);
    if (sounds === null) continue;
    subject.spend(length * sounds.length);
    const found = findPhonetic(words, sounds, Math.floor(sounds.length / SOUNDS_AN_EDIT)).filter(
      (span) => !exact.some((other) => overlaps(span, other)),
    );
    spans.push(
      ...found.map(({ start, end, similarity }: PhoneticSpan) => ({
        start,
        end,
        likeness: similarity,
        utterance,
        held: phrase.text,
      })),
    );
  }
  return spans;
}

/** Returns null for a phrase with gaps or with few phonemes, which would match too much. */
function soundsOf(
  subject: JudgedConversation,
  { words, gaps }: CompiledPhrase,
  language: AgentLanguage,
): string | null {
  if (gaps.includes(true)) return null;
  const parts = words.map((word) => subject.inputs.sounds(word, language));
  if (parts.includes(null)) return null;
  const sounds = parts.join('');
  return sounds.length >= FEWEST_SOUNDS ? sounds : null;
}

const overlaps = (a: { start: number; end: number }, b: { start: number; end: number }): boolean =>
  a.start < b.end && b.start < a.end;

/** Keeps, of overlapping spans, the most similar, and of those the longest. */
function withoutOverlaps(spans: readonly Span[]): Span[] {
  const remaining: Span[] = [];
  const best = [...spans].sort(
    (a, b) => b.likeness - a.likeness || b.end - b.start - (a.end - a.start) || byPlace(a, b),
  );
  for (const span of best) {
    if (!remaining.some((other) => other.utterance === span.utterance && overlaps(other, span)))
      remaining.push(span);
  }
  return remaining;
}

export function findPattern(subject: JudgedConversation, speaker: Speaker, source: string): MatcherResult {
  const utterances = subject.by(speaker);
  if (utterances === null) return 'speakers_unknown';
  const pattern = patternOf(source);
  const spans: Span[] = [];
  for (const utterance of utterances) {
    const { text } = subject.at(utterance);
    subject.spend(text.length * pattern.steps);
    const places = pattern.find(text, MOST_PLACES).filter(({ start, end }) => end > start);
    spans.push(...places.map((place) => ({ ...place, utterance, likeness: 1, held: source })));
  }
  return cut(spans);
}

/** Finds personal data in the text, and the placeholders of what was redacted before. */
export function findEntities(
  subject: JudgedConversation,
  speaker: Speaker,
  entities: readonly PiiEntity[],
): MatcherResult {
  const utterances = subject.by(speaker);
  if (utterances === null) return 'speakers_unknown';
  const spans: Span[] = [];
  for (const utterance of utterances) {
    const { text } = subject.at(utterance);
    subject.spend(text.length * 20);
    for (const { type, start, end } of scanForPii(text, entities))
      spans.push({ utterance, start, end, likeness: 1, held: type });
    for (const type of entities) spans.push(...tagsIn(text, type, utterance));
  }
  return cut(spans);
}

function tagsIn(text: string, type: PiiEntity, utterance: number): Span[] {
  const tag = piiTagOf(type);
  const spans: Span[] = [];
  for (let at = text.indexOf(tag); at >= 0; at = text.indexOf(tag, at + tag.length))
    spans.push({ utterance, start: at, end: at + tag.length, likeness: 1, held: type });
  return spans;
}

export function findTopic(
  subject: JudgedConversation,
  speaker: Speaker,
  { examples, threshold = SAME_TOPIC }: Topic,
): MatcherResult {
  const utterances = subject.by(speaker);
  if (utterances === null) return 'speakers_unknown';
  const mine = new Set(utterances);
  const spans: Span[] = [];
  for (const { utterance, text, start, end } of subject.sentences) {
    if (!mine.has(utterance)) continue;
    subject.spend(examples.length * 400);
    const likest = likestOf(subject, text, examples);
    if (likest === null) return subject.language === 'en' ? 'no_model' : 'language';
    if (likest.likeness >= threshold) spans.push({ utterance, start, end, ...likest });
  }
  return cut(spans);
}

function likestOf(subject: JudgedConversation, text: string, examples: readonly string[]) {
  let best: { likeness: number; held: string } | null = null;
  for (const held of examples) {
    const similarity = subject.inputs.similarity(text, held, subject.language);
    if (similarity === null) return null;
    if (best === null || similarity > best.likeness) best = { likeness: similarity, held };
  }
  return best;
}

/** Uses the parts of the matcher that are available; a part that cannot be judged leaves the others valid. */
export function findMatches(subject: JudgedConversation, matcher: Matcher, fallback: Speaker): MatcherResult {
  const speaker = matcher.speaker ?? fallback;
  const parts: MatcherResult[] = [];
  if (matcher.phrases !== undefined)
    parts.push(findPhrases(subject, speaker, matcher.phrases, matcher.tolerance));
  if (matcher.regex !== undefined) parts.push(findPattern(subject, speaker, matcher.regex));
  if (matcher.entities !== undefined) parts.push(findEntities(subject, speaker, matcher.entities));
  if (matcher.topic !== undefined) parts.push(findTopic(subject, speaker, matcher.topic));
  const found = parts.filter(isFound).flat();
  const missing = parts.find((part) => !isFound(part));
  return found.length === 0 && missing !== undefined ? missing : cut([...found]);
}

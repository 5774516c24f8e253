import { type PiiEntity, type PiiFinding, piiTagOf } from './finding.ts';
import { scanForPii } from './scan.ts';

export interface TimedWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

export interface ScannedSegment {
  readonly text: string;
  readonly words: readonly TimedWord[];
  /** Who says it: a number that one person says over several turns is found though another speaks in between. */
  readonly speaker?: string | null;
}

export interface RedactedSegments<S extends ScannedSegment> {
  readonly segments: readonly S[];
  readonly count: number;
  /** How many findings begin in each segment. */
  readonly counts: readonly number[];
}

/** A text with its findings replaced by their tags. */
export function redactText(text: string, findings: readonly PiiFinding[]): string {
  let result = '';
  let at = 0;
  for (const { type, start, end } of findings) {
    result += text.slice(at, start) + piiTagOf(type);
    at = end;
  }
  return result + text.slice(at);
}

interface Piece {
  readonly start: number;
  readonly end: number;
}

/** Texts one after another as a single one, and where each lies in it. */
function joined(texts: readonly string[], before: string): { text: string; pieces: readonly Piece[] } {
  let text = before;
  const pieces = texts.map((part) => {
    if (text !== '') text += ' ';
    const start = text.length;
    text += part;
    return { start, end: text.length };
  });
  return { text, pieces };
}

/**
 * The turns of one speaker are read as one text, without the turns between: "four one one one …" – "Got it, and the rest?" – "one one …".
 * Only kinds whose digits prove them are taken from that reading. The findings are given as parts of the whole text.
 */
function acrossTurns(
  segments: readonly ScannedSegment[],
  pieces: readonly Piece[],
  entities: readonly PiiEntity[],
): readonly PiiFinding[] {
  const speakers = new Set(segments.flatMap(({ speaker }) => speaker ?? []));
  if (speakers.size < 2) return [];
  return [...speakers].flatMap((speaker) => {
    const own = segments.flatMap((segment, at) => (segment.speaker === speaker ? [at] : []));
    const { text, pieces: ownPieces } = joined(
      own.map((at) => (segments[at] as ScannedSegment).text),
      '',
    );
    return scanForPii(
      text,
      entities.filter((entity) => PROVEN.has(entity)),
    ).flatMap((finding) =>
      own.flatMap((at, index) => {
        const { start } = pieces[at] as Piece;
        return within(ownPieces[index] as Piece, [finding]).map((part) => ({
          type: part.type,
          start: start + part.start,
          end: start + part.end,
        }));
      }),
    );
  });
}

const PROVEN: ReadonlySet<PiiEntity> = new Set(['CARD', 'IBAN', 'SSN', 'PHONE']);

/** Findings of two readings in order: what both found counts once, by the longer one. */
function united(first: readonly PiiFinding[], second: readonly PiiFinding[]): readonly PiiFinding[] {
  if (second.length === 0) return first;
  const result: PiiFinding[] = [];
  for (const finding of [...first, ...second].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || finding.start >= last.end) result.push(finding);
    else if (finding.end > last.end) result[result.length - 1] = { ...last, end: finding.end };
  }
  return result;
}

/** The findings that touch a piece, as offsets within it. A finding that crosses pieces is tagged in each. */
const within = ({ start, end }: Piece, findings: readonly PiiFinding[]): readonly PiiFinding[] =>
  findings
    .filter((finding) => finding.start < end && start < finding.end)
    .map((finding) => ({
      type: finding.type,
      start: Math.max(finding.start, start) - start,
      end: Math.min(finding.end, end) - start,
    }));

/** Neighbouring words of one finding become one tag that lasts as long as they did. */
function redactWords(
  words: readonly TimedWord[],
  tags: readonly (PiiFinding | undefined)[],
): readonly TimedWord[] {
  const result: TimedWord[] = [];
  let current: PiiFinding | undefined;
  words.forEach((word, at) => {
    const tag = tags[at];
    const last = result.at(-1);
    if (tag === undefined) result.push(word);
    else if (tag === current && last) result[result.length - 1] = { ...last, end: word.end };
    else result.push({ ...word, word: piiTagOf(tag.type) });
    current = tag;
  });
  return result;
}

/** Which finding each word belongs to, by the words alone: they may be written otherwise than the text. */
function wordTags(segments: readonly ScannedSegment[], entities: readonly PiiEntity[], before: string) {
  const { text, pieces } = joined(
    segments.flatMap(({ words }) => words.map(({ word }) => word.trim())),
    before,
  );
  const findings = scanForPii(text, entities);
  let next = 0;
  return pieces.map((piece) => {
    while ((findings[next]?.end ?? Number.POSITIVE_INFINITY) <= piece.start) next += 1;
    const finding = findings[next];
    return finding !== undefined && finding.start < piece.end ? finding : undefined;
  });
}

/** Takes what is personal out of segments that follow one another, across their borders, text and words alike.
 * `before` is what was said just before them: it is read for context and not given back. */
export function redactSegments<S extends ScannedSegment>(
  segments: readonly S[],
  entities: readonly PiiEntity[],
  before = '',
): RedactedSegments<S> {
  const { text, pieces } = joined(
    segments.map((segment) => segment.text),
    before,
  );
  const findings = united(
    scanForPii(text, entities).filter(({ end }) => end > before.length),
    acrossTurns(segments, pieces, entities),
  );
  const tags = wordTags(segments, entities, before);
  let at = 0;
  const redacted = segments.map((segment, index) => {
    const words = redactWords(segment.words, tags.slice(at, at + segment.words.length));
    at += segment.words.length;
    return { ...segment, text: redactText(segment.text, within(pieces[index] as Piece, findings)), words };
  });
  const counts = pieces.map(
    ({ start, end }, index) =>
      // One that begins in what was said before is the first segment's.
      findings.filter((found) => (index === 0 || found.start >= start) && found.start < end).length,
  );
  return { segments: redacted, count: findings.length, counts };
}

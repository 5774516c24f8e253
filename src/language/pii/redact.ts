import { type PiiEntity, type PiiFinding, piiTagOf, TURN_END } from './finding.ts';
import { scanForPii } from './scan.ts';

export interface TimedWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

export interface ScannedSegment {
  readonly text: string;
  readonly words: readonly TimedWord[];
  /** A number that one speaker says over several turns is found even with another speaker in between. */
  readonly speaker?: string | null;
}

export interface RedactedSegments<S extends ScannedSegment> {
  readonly segments: readonly S[];
  readonly count: number;
  readonly counts: readonly number[];
}

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

interface TurnText {
  readonly text: string;
  readonly speaker?: string | null;
}

function joined(parts: readonly TurnText[], before: string): { text: string; pieces: readonly Piece[] } {
  let text = before;
  const pieces = parts.map((part, at) => {
    if (text !== '') text += changesSpeaker(parts[at - 1], part) ? TURN_END : ' ';
    const start = text.length;
    text += part.text;
    return { start, end: text.length };
  });
  return { text, pieces };
}

const changesSpeaker = (last: TurnText | undefined, next: TurnText): boolean =>
  last?.speaker != null && next.speaker != null && last.speaker !== next.speaker;

/**
 * Reads the turns of each speaker as one text, without the turns between: "four one one one …" – "Got it, and the
 * rest?" – "one one …". Only kinds with conclusive digits count in that reading. The offsets refer to the whole text.
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
      own.map((at) => segments[at] as ScannedSegment),
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

/** The parts of a number that check digits prove across turns are that number, whatever each looks like alone. */
function united(first: readonly PiiFinding[], second: readonly PiiFinding[]): readonly PiiFinding[] {
  if (second.length === 0) return first;
  const result: PiiFinding[] = [];
  const proven = new Set(second.filter(({ type }) => type === 'CARD' || type === 'IBAN'));
  for (const finding of [...first, ...second].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || finding.start >= last.end) result.push(finding);
    else
      result[result.length - 1] = {
        type: proven.has(finding) ? finding.type : last.type,
        start: last.start,
        end: Math.max(last.end, finding.end),
      };
  }
  return result;
}

const within = ({ start, end }: Piece, findings: readonly PiiFinding[]): readonly PiiFinding[] =>
  findings
    .filter((finding) => finding.start < end && start < finding.end)
    .map((finding) => ({
      type: finding.type,
      start: Math.max(finding.start, start) - start,
      end: Math.min(finding.end, end) - start,
    }));

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

/** The scan of words is separate from the text, because both may be spelled differently. */
function wordTags(segments: readonly ScannedSegment[], entities: readonly PiiEntity[], before: string) {
  const { text, pieces } = joined(
    segments.flatMap(({ words, speaker }) => words.map(({ word }) => ({ text: word.trim(), speaker }))),
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

function findingsOf(
  segments: readonly ScannedSegment[],
  entities: readonly PiiEntity[],
  { text, pieces }: { readonly text: string; readonly pieces: readonly Piece[] },
): readonly PiiFinding[] {
  return united(scanForPii(text, entities), acrossTurns(segments, pieces, entities));
}

/** Returns the personal data of consecutive segments; the offsets refer to their texts, joined by a space. */
export const scanSegments = (
  segments: readonly ScannedSegment[],
  entities: readonly PiiEntity[],
): readonly PiiFinding[] => findingsOf(segments, entities, joined(segments, ''));

/**
 * Redacts text and words of consecutive segments, also across their boundaries. `before` is context only and is not
 * returned.
 */
export function redactSegments<S extends ScannedSegment>(
  segments: readonly S[],
  entities: readonly PiiEntity[],
  before = '',
): RedactedSegments<S> {
  const whole = joined(segments, before);
  const { pieces } = whole;
  const findings = findingsOf(segments, entities, whole).filter(({ end }) => end > before.length);
  const tags = wordTags(segments, entities, before);
  let at = 0;
  const redacted = segments.map((segment, index) => {
    const words = redactWords(segment.words, tags.slice(at, at + segment.words.length));
    at += segment.words.length;
    return { ...segment, text: redactText(segment.text, within(pieces[index] as Piece, findings)), words };
  });
  const counts = pieces.map(
    ({ start, end }, index) =>
      findings.filter((found) => (index === 0 || found.start >= start) && found.start < end).length,
  );
  return { segments: redacted, count: findings.length, counts };
}

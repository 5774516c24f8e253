/** Directs lines without a model, by the writer's notes, punctuation, speech acts and a lexicon. */
import { CONTROL_NAMES, CONTROLS, type Emotion, type LineDirection, type ScriptedLine } from '../contract.ts';
import { hasEmphasis } from '../emphasis.ts';
import { wordsOf } from '../spoken-text.ts';
import { type Lexicon, lexiconOf, tokensOf } from './lexicon.ts';

type Part = LineDirection;

const QUESTION: Part = { melody: 1.12 };
const EXCLAIMED: Part = { energy_db: 1.5, melody: 1.15, pace: 1.04 };
const TRAILING: Part = { energy_db: -1, pace: 0.92, melody: 0.9 };
const SHOUTED: Part = { energy_db: 2.5, melody: 1.15, pitch: 1.04 };
const ASIDE: Part = { energy_db: -2, pitch: 0.97, pace: 1.04 };
/** An interrupting line overlaps the interrupted one by this time. */
const INTERRUPTING_MS = -150;
/** With more stressed words in a line, none stands out. */
const MOST_BY_RULES = 2;
const QUICK_ANSWER_MS = 220;
const AFTER_TRAILING_MS = 700;

export function directByRules(
  line: ScriptedLine,
  before: ScriptedLine | undefined,
  language: string,
  emotions: readonly string[],
): LineDirection {
  const lexicon = lexiconOf(language);
  const words = wordsOf(line.text);
  const tokens = tokensOf(words);
  const parts = [...notesIn(line.note, lexicon), ...marksIn(words), ...actsIn(tokens, lexicon)];
  const joined = join(parts);
  const emotion = joined.emotion ?? emotionIn(tokens, lexicon);
  const pause = pauseBefore(line, before);
  const emphasis = hasEmphasis(line.text) ? [] : stressedIn(words, lexicon);
  const { emotion: _, ...rest } = joined;
  return {
    ...rest,
    ...(emotion !== undefined && emotions.includes(emotion) ? { emotion } : {}),
    ...(pause === undefined ? {} : { pause_before_ms: pause }),
    ...(emphasis.length === 0 ? {} : { emphasis }),
  };
}

function notesIn(note: string | null, { manners, emotions }: Lexicon): Part[] {
  if (note === null) return [];
  return tokensOf(note).flatMap((token) => {
    const manner = manners.get(token);
    if (manner !== undefined) return [manner];
    const emotion = emotions.get(token);
    return emotion === undefined ? [] : [{ emotion }];
  });
}

function marksIn(words: string): Part[] {
  const bare = words.replace(/["”»’')\]]+$/u, '');
  const parts: Part[] = [];
  if (/[?？]!?$/u.test(bare)) parts.push(QUESTION);
  if (/[!！]\??$/u.test(bare)) parts.push(EXCLAIMED);
  if (/(?:…|\.{3})$/u.test(bare)) parts.push(TRAILING);
  if (/^\(.*\)[.!?…]?$/u.test(words)) parts.push(ASIDE);
  if (isShouted(words)) parts.push(SHOUTED);
  return parts;
}

/** Returns true where most words are in capitals, and they are more than an abbreviation. */
function isShouted(words: string): boolean {
  const all = words.split(/[^\p{L}]+/u).filter((word) => word.length > 1);
  const loud = all.filter((word) => word === word.toUpperCase() && word !== word.toLowerCase());
  return loud.length >= 2 && loud.length * 2 > all.length;
}

/**
 * Stresses a word in capitals among others, both sides of a contrast, else the first word that is nearly always
 * stressed.
 */
function stressedIn(words: string, { capitals, stressed, contrasts }: Lexicon): readonly string[] {
  const all = words.match(/[\p{L}\p{M}'’]+/gu) ?? [];
  const loud = isShouted(words)
    ? []
    : all.filter((word) => word === word.toUpperCase() && capitals.has(word.toLowerCase()));
  if (loud.length > 0) return [...new Set(loud)].slice(0, MOST_BY_RULES);
  const small = all.map((word) => word.toLowerCase());
  for (const [not, but] of contrasts) {
    const at = small.indexOf(not);
    if (at >= 0 && small[at + 2] === but && all.length > at + 3) return [all[at + 1]!, all[at + 3]!];
  }
  return all.filter((word) => stressed.has(word.toLowerCase())).slice(0, 1);
}

function actsIn(tokens: readonly string[], { acts }: Lexicon): Part[] {
  const found = acts.find(({ words }) =>
    tokens.some((_, at) => words.every((word, offset) => tokens[at + offset] === word)),
  );
  return found === undefined ? [] : [found.direction];
}

/** Returns the emotion that most words belong to; a single word of a long line is not enough. */
function emotionIn(tokens: readonly string[], { emotions }: Lexicon): Emotion | undefined {
  const counts = new Map<Emotion, number>();
  for (const token of tokens) {
    const emotion = emotions.get(token);
    if (emotion !== undefined) counts.set(emotion, (counts.get(emotion) ?? 0) + 1);
  }
  const [best] = [...counts].sort(([, a], [, b]) => b - a);
  if (best === undefined || best[1] * 16 < tokens.length) return undefined;
  return best[0];
}

function pauseBefore(line: ScriptedLine, before: ScriptedLine | undefined): number | undefined {
  if (before === undefined || line.chapter !== null || before.speaker === line.speaker) return undefined;
  const end = wordsOf(before.text).replace(/["”»’')\]]+$/u, '');
  if (/(?:—|–|--)$/u.test(end)) return INTERRUPTING_MS;
  if (/(?:…|\.{3})$/u.test(end)) return AFTER_TRAILING_MS;
  return end.endsWith('?') ? QUICK_ANSWER_MS : undefined;
}

/** Factors multiply and decibels add, within the engine's ranges; the first emotion counts. */
function join(parts: readonly Part[]): LineDirection {
  const joined: { -readonly [Name in keyof LineDirection]: LineDirection[Name] } = {};
  for (const part of parts) {
    for (const name of CONTROL_NAMES) {
      const value = part[name];
      if (value === undefined) continue;
      const unit = CONTROLS[name].unit;
      const so = joined[name];
      const together = so === undefined ? value : unit === 'factor' ? so * value : so + value;
      const bounded = Math.max(CONTROLS[name].least, Math.min(CONTROLS[name].most, together));
      joined[name] = Math.round(bounded * 100) / 100;
    }
    if (part.emotion !== undefined) joined.emotion ??= part.emotion;
  }
  return joined;
}

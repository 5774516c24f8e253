import {
  AGENT_LANGUAGE_WORDS,
  LANGUAGE_WORDS,
  phraseAt,
  plainText,
  type Token,
  tokensOf,
} from '../text/index.ts';
import { parseAgreement } from './agreement.ts';
import { spokenPosition } from './corrections.ts';
import {
  type CaptureInput,
  type CaptureRequest,
  type CaptureResult,
  fillTemplate,
  type InputMode,
  MAX_TURNS,
} from './dialogue.ts';
import { differingLetters, distinction } from './distinction.ts';
import { readCode } from './read-back.ts';
import {
  type CaptureRecord,
  distinguishes,
  lettersPointedOut,
  type RecordCandidate,
  type RecordKind,
  RecordTable,
} from './record-table.ts';
import { READERS } from './value-readers.ts';

export interface RecordRequest extends CaptureRequest {
  readonly kind: RecordKind;
}

type RecordPhase =
  | { readonly at: 'asking' }
  | { readonly at: 'confirming'; readonly record: CaptureRecord; readonly next: CaptureRecord | null }
  | { readonly at: 'choosing'; readonly between: readonly [CaptureRecord, CaptureRecord] };

export interface RecordState {
  readonly request: RecordRequest;
  readonly phase: RecordPhase;
  readonly inputMode: InputMode;
  /** The count restarts with each input mode. */
  readonly misses: number;
  readonly attempts: number;
  readonly turns: number;
  readonly silent: boolean;
  readonly refused: ReadonlySet<CaptureRecord>;
  /** The rows that the last answer may have meant; recognition listens for their words. */
  readonly likeliest: readonly CaptureRecord[];
}

export type RecordStep =
  | { readonly kind: 'ask'; readonly state: RecordState; readonly say: string }
  | { readonly kind: 'done'; readonly result: CaptureResult };

/** These limits of RecordTable's costs were set before the bench was run (docs/lab/capture.md). */
const CLEAR = 0.2;
const NEAR = 0.42;
/** A second row that is as near as this may be what the caller meant. */
const MARGIN = 0.1;
const CHOICE_MARGIN = 0.05;
/** A spelled value is proven by the records where every other row differs in two characters. */
const PROVEN_MARGIN = 1.2;
const MOST_MISSES = 2;
const CONFIRMED = 0.99;
const FEWEST_KEYS = 2;
const FEWEST_BEGUN = 3;

const phrasesOf = ({ request }: Pick<RecordState, 'request'>) =>
  AGENT_LANGUAGE_WORDS[request.hints.language].capture;

const labelOf = (state: Pick<RecordState, 'request'>): string =>
  state.request.label ?? phrasesOf(state).what[state.request.kind];

export function beginRecordCapture(request: RecordRequest): RecordStep {
  const state: RecordState = {
    request,
    phase: { at: 'asking' },
    inputMode: 'speech',
    misses: 0,
    attempts: 1,
    turns: 0,
    silent: true,
    refused: new Set(),
    likeliest: [],
  };
  return { kind: 'ask', state, say: fillTemplate(phrasesOf(state).ask, labelOf(state)) };
}

/** Returns whether this answer names something that has to be looked up, as a yes or a choice does not. */
export function needsLookup(state: RecordState, input: CaptureInput): boolean {
  if (input.kind === 'silence') return false;
  const { phase } = state;
  if (input.kind === 'keys') return !isChoiceKey(state, input.keys);
  const { text } = input.said;
  if (phase.at === 'asking') return true;
  if (phase.at === 'confirming' && parseAgreement(text, state.request.hints.language) === 'yes') return false;
  if (phase.at === 'choosing' && chosen(state, phase.between, text) !== null) return false;
  return contentOf(state, text) !== null;
}

const isChoiceKey = ({ phase }: RecordState, keys: string): boolean =>
  phase.at !== 'asking' && /^[0-3]#?$/.test(keys);

export function advanceRecordCapture(
  before: RecordState,
  input: CaptureInput,
  records: RecordTable,
): RecordStep {
  const state = { ...before, turns: before.turns + 1 };
  if (state.turns > MAX_TURNS) return recordCaptureFailed(state);
  if (input.kind === 'silence') return missed(state, records, { repeats: true });
  const heard: RecordState = { ...state, silent: false };
  if (input.kind === 'keys') return pressed(heard, input.keys.replace(/#$/, ''), records);
  const { text } = input.said;
  switch (heard.phase.at) {
    case 'asking':
      return found(heard, text, records);
    case 'confirming':
      return judged(heard, heard.phase, text, records);
    case 'choosing':
      return decided(heard, heard.phase.between, text, records);
  }
}

export const recordCaptureFailed = ({ silent, attempts }: RecordState): RecordStep => ({
  kind: 'done',
  result: { failed: silent ? 'no_answer' : 'not_understood', attempts },
});

const done = (
  { attempts }: RecordState,
  record: CaptureRecord,
  confidence: number,
  confirmed: 'read_back' | 'keys' | 'high_confidence',
): RecordStep => ({ kind: 'done', result: { value: record.value, confidence, confirmed, attempts, record } });

function found(state: RecordState, text: string, records: RecordTable): RecordStep {
  const candidates = records.rank(text, state.refused);
  const [best, second] = candidates;
  if (best === undefined || best.cost > NEAR) return missed(state, records);
  const heard = { ...state, likeliest: candidates.map(({ record }) => record) };
  if (second !== undefined && second.cost - best.cost < MARGIN && !isProven(best, second))
    return offerTwo(heard, best.record, second.record);
  const next = second !== undefined && second.cost <= NEAR ? second.record : null;
  const { confirm, kind } = state.request;
  const confidence = Math.round(100 * (1 - best.cost)) / 100;
  if (best.cost <= CLEAR) {
    if (confirm === 'never') return done(heard, best.record, confidence, 'high_confidence');
    const proven = kind !== 'name' && isProven(best, second);
    if (confirm !== 'always' && proven) return done(heard, best.record, confidence, 'high_confidence');
  }
  return offer(heard, best.record, next);
}

/** Every character was spelled right, and no other row is a mishearing of one character away. */
const isProven = (best: RecordCandidate, second: RecordCandidate | undefined): boolean =>
  best.spelled &&
  (second === undefined || second.cost * Math.max(best.record.value.length, 4) >= PROVEN_MARGIN);

function offer(state: RecordState, record: CaptureRecord, next: CaptureRecord | null): RecordStep {
  const { records } = phrasesOf(state);
  const say = fillTemplate(records.offerOne, spokenForm(state, record));
  return { kind: 'ask', state: { ...state, phase: { at: 'confirming', record, next } }, say };
}

function offerTwo(state: RecordState, one: CaptureRecord, other: CaptureRecord): RecordStep {
  const { records } = phrasesOf(state);
  const template = state.inputMode === 'keys' ? records.pressTwo : records.offerTwo;
  const [first, second] = distinguished(state, one, other);
  const say = template.replace('{}', () => first).replace('{2}', () => second);
  return { kind: 'ask', state: { ...state, phase: { at: 'choosing', between: [one, other] } }, say };
}

/** Names are said as they are; what has no sound of its own is spelled. */
function spokenForm({ request }: RecordState, { value, label }: CaptureRecord): string {
  if (label !== undefined) return label;
  const { kind, hints } = request;
  if (kind === 'name') return value;
  if (kind === 'code') return readCode(value.replace(/[^\p{L}\p{N}]/gu, ''), hints.language);
  return READERS[kind]({ text: value }, '', hints).readBack || value;
}

function distinguished(
  state: RecordState,
  one: CaptureRecord,
  other: CaptureRecord,
): readonly [string, string] {
  const forms = [spokenForm(state, one), spokenForm(state, other)] as const;
  if (one.label !== undefined && other.label !== undefined && one.label !== other.label) return forms;
  if (state.request.kind !== 'name') return forms;
  const parts = distinction(one.value, other.value, state.request.hints.language);
  if (parts === null) return forms;
  const { withLetters } = phrasesOf(state).records;
  const phrased = (form: string, letters: string) =>
    withLetters.replace('{}', () => form).replace('{2}', () => letters);
  return [phrased(forms[0], parts[0]), phrased(forms[1], parts[1])];
}

function judged(
  state: RecordState,
  { record, next }: Extract<RecordPhase, { at: 'confirming' }>,
  text: string,
  records: RecordTable,
): RecordStep {
  const agreed = parseAgreement(text, state.request.hints.language);
  if (agreed === 'yes') return done(state, record, CONFIRMED, 'read_back');
  const content = contentOf(state, text);
  if (agreed === 'no') {
    const refused = { ...state, refused: new Set([...state.refused, record]) };
    if (content !== null) return otherwise(refused, content, records, next);
    return next === null ? missed(refused, records) : offer({ ...refused, ...another(refused) }, next, null);
  }
  if (content === null) return missed(state, records, { repeats: true });
  const [best, second] = records.rank(content, state.refused);
  // A repetition is no yes: recognition may mishear it in the same way again.
  if (best?.record === record && (second === undefined || second.cost - best.cost >= MARGIN))
    return missed(state, records, { repeats: true });
  return otherwise(state, content, records, next);
}

const another = ({ attempts, misses }: RecordState) => ({ attempts: attempts + 1, misses: misses + 1 });

/** "No, Schmitt with double T": what follows the no is a new answer. */
function otherwise(
  state: RecordState,
  content: string,
  records: RecordTable,
  next: CaptureRecord | null,
): RecordStep {
  const [best] = records.rank(content, state.refused);
  if (best !== undefined && best.cost <= NEAR)
    return found({ ...state, ...another(state) }, content, records);
  const left = next !== null && !state.refused.has(next) ? next : null;
  return left === null ? missed(state, records) : offer({ ...state, ...another(state) }, left, null);
}

/** Returns which of the two the caller chose: by place, by letters, or by a name that sounds like one alone. */
function chosen(
  { request }: RecordState,
  between: readonly [CaptureRecord, CaptureRecord],
  text: string,
): CaptureRecord | null {
  const { language } = request.hints;
  const place = spokenPosition({ text }, language, between.length);
  if (place !== null) return between[place] ?? null;
  const letters = lettersPointedOut(text, language);
  if (letters !== null) {
    const [one, other] = between;
    const differing = differingLetters(one.value, other.value, language);
    if (differing?.includes(letters)) return letters === differing[0] ? one : other;
    if (distinguishes(letters, one.value, other.value)) return one;
    if (distinguishes(letters, other.value, one.value)) return other;
  }
  const [best, second] = new RecordTable(between, request.kind, language).rank(text);
  if (best === undefined || second === undefined || best.cost > NEAR) return null;
  return second.cost - best.cost >= CHOICE_MARGIN ? best.record : null;
}

function decided(
  state: RecordState,
  between: readonly [CaptureRecord, CaptureRecord],
  text: string,
  records: RecordTable,
): RecordStep {
  const { language } = state.request.hints;
  const refused = { ...state, refused: new Set([...state.refused, ...between]) };
  const content = contentOf(state, text);
  const declines = parseAgreement(text, language) === 'no' || isNeither(state, text);
  if (declines && content === null) return missed(refused, records);
  const record = chosen(state, between, content ?? text);
  if (record !== null) return done(state, record, CONFIRMED, 'read_back');
  if (declines && content !== null) return otherwise(refused, content, records, null);
  if (content === null) return missed(state, records, { repeats: true });
  const [best] = records.rank(content, state.refused);
  if (best === undefined || best.cost > NEAR || between.includes(best.record))
    return missed(state, records, { repeats: true });
  return found({ ...state, ...another(state) }, content, records);
}

function pressed(state: RecordState, keys: string, records: RecordTable): RecordStep {
  const { phase } = state;
  if (isChoiceKey(state, keys)) {
    if (phase.at === 'confirming') {
      if (keys === '1') return done(state, phase.record, CONFIRMED, 'keys');
      const refused = { ...state, refused: new Set([...state.refused, phase.record]) };
      return phase.next === null
        ? missed(refused, records)
        : offer({ ...refused, ...another(refused) }, phase.next, null);
    }
    if (phase.at === 'choosing') {
      const record = keys === '1' ? phase.between[0] : keys === '2' ? phase.between[1] : null;
      if (record !== null) return done(state, record, CONFIRMED, 'keys');
      return missed({ ...state, refused: new Set([...state.refused, ...phase.between]) }, records);
    }
  }
  if (!/^\d+$/.test(keys) || keys.length < FEWEST_KEYS) return missed(state, records);
  const { whole, begun } = records.byKeys(keys);
  const [first, second] = byLikelihood(state, whole);
  if (first !== undefined && second === undefined) return done(state, first, CONFIRMED, 'keys');
  if (first !== undefined && second !== undefined)
    return offerTwo({ ...state, inputMode: 'keys' }, first, second);
  const [one, other, ...more] = keys.length < FEWEST_BEGUN ? [] : byLikelihood(state, begun);
  if (one === undefined || more.length > 0) return missed(state, records);
  return other === undefined
    ? offer(state, one, null)
    : offerTwo({ ...state, inputMode: 'keys' }, one, other);
}

/** Earlier answers decide between rows of the same keys. */
function byLikelihood({ likeliest, refused }: RecordState, rows: readonly CaptureRecord[]): CaptureRecord[] {
  const placeOf = (record: CaptureRecord): number => {
    const at = likeliest.indexOf(record);
    return at < 0 ? likeliest.length : at;
  };
  // A refusal may have been misheard, so refused rows come last instead of being left out.
  const last = (record: CaptureRecord): number => Number(refused.has(record));
  return [...rows].sort((a, b) => last(a) - last(b) || placeOf(a) - placeOf(b));
}

/** Two misses by speech switch to the keypad, or to spelling where the values cannot be pressed. */
function missed(state: RecordState, records: RecordTable, { repeats = false } = {}): RecordStep {
  const misses = state.misses + 1;
  const { records: phrases, spell } = phrasesOf(state);
  const label = labelOf(state);
  const next = { ...state, misses, attempts: state.attempts + 1 };
  if (misses < MOST_MISSES) {
    if (repeats && state.phase.at !== 'asking') return repeated(next);
    const asking: RecordState = { ...next, phase: { at: 'asking' } };
    const words =
      state.inputMode === 'keys' ? phrases.keypad : repeats ? phrasesOf(state).again : phrases.notFound;
    return { kind: 'ask', state: asking, say: fillTemplate(words, label) };
  }
  if (state.inputMode !== 'speech') return recordCaptureFailed(state);
  const inputMode: InputMode = records.isKeyable ? 'keys' : 'spelling';
  const other: RecordState = { ...next, phase: { at: 'asking' }, inputMode, misses: 0 };
  return {
    kind: 'ask',
    state: other,
    say: fillTemplate(inputMode === 'keys' ? phrases.keypad : spell, label),
  };
}

function repeated(state: RecordState): RecordStep {
  const { phase } = state;
  if (phase.at === 'choosing') return offerTwo(state, ...phase.between);
  if (phase.at === 'confirming') return offer(state, phase.record, phase.next);
  return { kind: 'ask', state, say: fillTemplate(phrasesOf(state).ask, labelOf(state)) };
}

const isNeither = (state: RecordState, text: string): boolean => {
  const tokens = tokensOf(plainText(text));
  return tokens.some((_, at) => phraseAt(tokens, at, phrasesOf(state).records.neither) > 0);
};

/** Returns what the caller said besides yes, no and fillers; null where that was all. */
function contentOf(state: RecordState, said: string): string | null {
  const { consent, spelling } = LANGUAGE_WORDS[state.request.hints.language];
  const { neither } = phrasesOf(state).records;
  const text = plainText(said);
  const tokens = tokensOf(text);
  const skipped = (at: number): number =>
    [consent.no, consent.yes, consent.negation, spelling.around, neither].reduce(
      (most, phrases) => Math.max(most, phraseAt(tokens, at, phrases)),
      0,
    );
  let from = 0;
  for (let length = skipped(0); from < tokens.length && length > 0; length = skipped(from)) from += length;
  const first: Token | undefined = tokens[from];
  return first === undefined ? null : text.slice(first.start);
}

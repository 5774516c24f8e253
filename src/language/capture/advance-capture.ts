import { LANGUAGE_WORDS, phraseAt, plainText, tokensOf } from '../text/index.ts';
import { parseAgreement } from './agreement.ts';
import { type Alphabet, type Character, characterRuns } from './characters.ts';
import type { CaptureKind, CaptureReading, SpokenInput } from './contract.ts';
import { applyCorrection, type Correction, spokenPosition } from './corrections.ts';
import { closeHalf } from './date-time-readers.ts';
import {
  type CaptureInput,
  type CaptureState,
  type CaptureStep,
  captureFailed,
  captureLabel,
  capturePhrasesOf,
  continueCapture,
  fillTemplate,
  MAX_TURNS,
  recordMiss,
} from './dialogue.ts';
import { CHARACTER_READERS, READERS } from './value-readers.ts';

const ALPHABETS: Partial<Readonly<Record<CaptureKind, Alphabet>>> = {
  digits: 'digits',
  phone: 'digits',
  code: 'both',
  email: 'both',
  name: 'letters',
};

const CONFIRMED = 0.99;
const REHEARD = 0.9;
/**
 * A value above this confidence is accepted without a read-back where check digits prove it or no digit is doubtful.
 */
const HIGH = 0.9;
const MOST_DOUBTS = 2;

type TakenInput = Extract<CaptureInput, { kind: 'said' }>;

export function advanceCapture(before: CaptureState, input: CaptureInput): CaptureStep {
  const state = { ...before, turns: before.turns + 1 };
  if (state.turns > MAX_TURNS) return captureFailed(state);
  if (input.kind === 'silence') return recordMiss(state);
  const heard: CaptureState = { ...state, silent: false };
  return input.kind === 'keys' ? typed(heard, input.keys.replace(/#$/, '')) : said(heard, input);
}

function typed(state: CaptureState, keys: string): CaptureStep {
  const { kind, hints } = state.request;
  const { value } = READERS[kind]({ text: '' }, keys, hints);
  return value === null ? recordMiss(state) : done(state, value, CONFIRMED, 'keys');
}

const done = (
  { attempts }: CaptureState,
  value: string,
  confidence: number,
  confirmed: 'read_back' | 'keys' | 'high_confidence',
): CaptureStep => ({ kind: 'done', result: { value, confidence, confirmed, attempts } });

function said(state: CaptureState, input: TakenInput): CaptureStep {
  const { phase, request } = state;
  switch (phase.at) {
    case 'asking':
      return take(state, READERS[request.kind](input.said, '', request.hints));
    case 'more':
      return goesOn(state, phase.heard, input.said);
    case 'character':
      return character(state, phase.heard, phase.place, input.said);
    case 'half_of_day': {
      const { hour, minute } = phase;
      const whole = closeHalf(input.said.text, hour, minute, request.hints);
      return take(state, whole ?? READERS.time(input.said, '', request.hints));
    }
    case 'confirming':
    case 'correcting':
      return judged(state, phase.reading, input);
    case 'placing':
      return placed(state, phase.reading, phase.char, input);
  }
}

function take(state: CaptureState, reading: CaptureReading): CaptureStep {
  const { request } = state;
  const { more, halfOfDay, day, check } = capturePhrasesOf(state);
  const { missing, heard } = reading;
  if (missing === null) return accept(state, reading);
  switch (missing.what) {
    case 'characters':
      return missing.at.length > MOST_DOUBTS ? recordMiss(state) : doubt(state, heard, missing.at[0] ?? 0);
    case 'length':
      if (missing.have === 0 || missing.have > missing.min) return recordMiss(state);
      return continueCapture(state, { at: 'more', heard }, fillTemplate(more, reading.readBack));
    case 'half_of_day': {
      const face = `${missing.hour % 12 || 12}:${String(missing.minute).padStart(2, '0')}`;
      return continueCapture(state, { at: 'half_of_day', ...missing }, fillTemplate(halfOfDay, face));
    }
    case 'day':
      return recordMiss(state, day);
    case 'check':
      return recordMiss(state, fillTemplate(check, request.label ?? captureLabel(state)));
    default:
      return recordMiss(state);
  }
}

function doubt(state: CaptureState, heard: readonly Character[], place: number): CaptureStep {
  const { character: asked, places } = capturePhrasesOf(state);
  return continueCapture(
    state,
    { at: 'character', heard, place },
    fillTemplate(asked, places[place] ?? String(place + 1)),
  );
}

function accept(state: CaptureState, reading: CaptureReading): CaptureStep {
  const { kind, hints, confirm } = state.request;
  const value = reading.value as string;
  if (confirm === 'never') return done(state, value, reading.confidence, 'high_confidence');
  const vouched = kind === 'yes_no' || hints.check !== undefined;
  if (confirm !== 'always' && vouched && reading.confidence >= HIGH)
    return done(state, value, reading.confidence, 'high_confidence');
  return readBack(state, reading);
}

const readBack = (state: CaptureState, reading: CaptureReading): CaptureStep =>
  continueCapture(
    state,
    { at: 'confirming', reading },
    fillTemplate(capturePhrasesOf(state).readBack, reading.readBack),
  );

function goesOn(state: CaptureState, before: readonly Character[], input: SpokenInput): CaptureStep {
  const { kind, hints } = state.request;
  const reading = READERS[kind](input, '', hints);
  if (reading.value !== null || reading.heard.length === 0) return take(state, reading);
  const joined = CHARACTER_READERS[kind]?.([...before, ...reading.heard], hints);
  return take(state, joined ?? reading);
}

function character(
  state: CaptureState,
  heard: readonly Character[],
  place: number,
  input: SpokenInput,
): CaptureStep {
  const { kind, hints } = state.request;
  const reading = READERS[kind](input, '', hints);
  if (reading.value !== null && reading.heard.length === heard.length) return take(state, reading);
  const runs = characterRuns(input, hints.language, ALPHABETS[kind] ?? 'both');
  const one = runs.findLast(({ characters }) => characters.length === 1)?.characters[0];
  const known = CHARACTER_READERS[kind];
  if (one === undefined || known === undefined) return recordMiss(state);
  const sure = { ...one, confidence: Math.max(one.confidence, REHEARD) };
  return take(state, known(heard.with(place, sure), hints));
}

function judged(state: CaptureState, reading: CaptureReading, input: TakenInput): CaptureStep {
  const { kind, hints } = state.request;
  const { language } = hints;
  const agreed = state.phase.at === 'confirming' ? parseAgreement(input.said.text, language) : null;
  const change = changeOf(state, reading, input);
  if (change.kind === 'where') {
    return continueCapture(
      state,
      { at: 'placing', reading, char: change.char },
      fillTemplate(capturePhrasesOf(state).whichOne, change.char),
    );
  }
  if (change.kind === 'changed') {
    const changed = CHARACTER_READERS[kind]?.(change.heard, hints) ?? reading;
    if (changed.value !== reading.value)
      return changed.value === null ? take(state, changed) : readBack(state, changed);
    // A repetition is no yes: recognition may mishear it in the same way again.
    if (agreed !== 'yes')
      return recordMiss(state, fillTemplate(capturePhrasesOf(state).readBack, reading.readBack), {
        at: 'confirming',
        reading,
      });
  }
  const other = READERS[kind](afterNo(input.said, state), '', hints);
  if (other.value !== null && other.value !== reading.value && agreed !== 'yes')
    return readBack(state, other);
  if (agreed === 'yes') return done(state, reading.value as string, CONFIRMED, 'read_back');
  const { whatIsWrong, readBack: again } = capturePhrasesOf(state);
  if (agreed === 'no') return recordMiss(state, whatIsWrong, { at: 'correcting', reading });
  return recordMiss(state, fillTemplate(again, reading.readBack), { at: 'confirming', reading });
}

function changeOf(state: CaptureState, { heard }: CaptureReading, input: TakenInput): Correction {
  const { kind, hints } = state.request;
  const alphabet = ALPHABETS[kind];
  if (alphabet === undefined || heard.length === 0) return { kind: 'none' };
  const { language } = hints;
  return applyCorrection(heard, input.said, { language, alphabet, readSoFar: input.readSoFar ?? null });
}

/** A value may follow the no: "No, Friday". */
function afterNo({ text }: SpokenInput, { request }: CaptureState): SpokenInput {
  const tokens = tokensOf(plainText(text));
  const length = phraseAt(tokens, 0, LANGUAGE_WORDS[request.hints.language].consent.no);
  return { text: length === 0 ? text : plainText(text).slice(tokens[length - 1]?.end ?? 0) };
}

function placed(state: CaptureState, reading: CaptureReading, char: string, input: TakenInput): CaptureStep {
  const { kind, hints } = state.request;
  const place = spokenPosition(input.said, hints.language, reading.heard.length);
  const known = CHARACTER_READERS[kind];
  if (place === null || known === undefined) return judged(state, reading, input);
  const heard = reading.heard.with(place, { char, confidence: REHEARD });
  return take(state, known(heard, hints));
}

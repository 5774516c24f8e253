import type { BrainLanguage } from '../contract.ts';
import { bareText, intentOf } from './intents.ts';
import { type Mention, type Utterance, unitOf } from './mentions.ts';
import { freeText, leftOver, spelledIn } from './said-text.ts';
import { cuesOf, isIdentifier, kindOf, type Slot, type SlotValue, unitsOf } from './slots.ts';
import { clockText, halfIn, inHalf } from './times.ts';
import { fold, phraseAt, startsClause, wordAt } from './tokens.ts';
import { contentStems } from './words.ts';

/** A time whose half of the day was not said. */
export interface OpenHour {
  readonly slot: string;
  readonly hour: number;
  readonly minute: number;
}

export interface Filled {
  readonly values: Readonly<Record<string, SlotValue>>;
  /** Filled, but it could mean something else as well. */
  readonly unsure: boolean;
  readonly openHour: OpenHour | null;
  /** A day that can't be told from what was said. */
  readonly unclearDay: boolean;
}

export interface Asking {
  readonly slot: string | null;
  readonly openHour: OpenHour | null;
}

interface Filling {
  readonly utterance: Utterance;
  readonly language: BrainLanguage;
  readonly slots: readonly Slot[];
  readonly asked: Slot | null;
  readonly free: Set<Mention>;
  readonly values: Record<string, SlotValue>;
  unsure: boolean;
  openHour: OpenHour | null;
  unclearDay: boolean;
}

type NumberMention = Extract<Mention, { kind: 'number' }>;

/** Gives each mention to at most one of the slots. What could be two slots' goes to none, and is asked about. */
export function fillSlots(
  slots: readonly Slot[],
  utterance: Utterance,
  language: BrainLanguage,
  asking: Asking,
): Filled {
  const filling: Filling = {
    utterance,
    language,
    slots,
    asked: slots.find(({ name }) => name === asking.slot) ?? null,
    free: new Set(utterance.mentions),
    values: {},
    unsure: false,
    openHour: null,
    unclearDay: false,
  };
  closeHour(filling, asking.openHour);
  for (const kind of ['email', 'time', 'date'] as const) fillKind(filling, kind);
  fillNumbers(filling);
  fillChoices(filling);
  fillAsked(filling);
  const { values, unsure, openHour, unclearDay } = filling;
  return { values, unsure, openHour, unclearDay };
}

/** "In the evening", said to which half of the day it is. */
function closeHour({ utterance, language, slots, values }: Filling, open: OpenHour | null): void {
  if (open === null || utterance.mentions.some(({ kind }) => kind === 'time')) return;
  const half = halfIn(utterance.tokens, language);
  if (half !== null && slots.some(({ name }) => name === open.slot)) values[open.slot] = inHalf(open, half);
}

const isOpen = (filling: Filling, slot: Slot): boolean =>
  !(slot.name in filling.values) && filling.openHour?.slot !== slot.name;

const sole = <T>(items: readonly T[]): T | null => (items.length === 1 ? (items[0] ?? null) : null);

function fillKind(filling: Filling, kind: 'email' | 'time' | 'date'): void {
  const slots = filling.slots.filter((slot) => kindOf(slot) === kind && isOpen(filling, slot));
  const mentions = [...filling.free].filter((mention) => mention.kind === kind);
  for (const mention of mentions) {
    const cued = sole(
      slots.filter((slot) => isOpen(filling, slot) && isNamedBefore(filling, slot, slots, mention)),
    );
    if (cued !== null) take(filling, cued, mention);
  }
  const mention = sole(mentions.filter((left) => filling.free.has(left)));
  const open = slots.filter((slot) => isOpen(filling, slot));
  const wanted =
    open.find((slot) => slot === filling.asked) ??
    sole(open) ??
    sole(open.filter(({ required }) => required));
  if (mention !== null && wanted !== null) take(filling, wanted, mention);
}

/** A word of the slot's name that its siblings have not stands just before the mention. */
function isNamedBefore(filling: Filling, slot: Slot, siblings: readonly Slot[], { from }: Mention): boolean {
  if (siblings.length < 2) return false;
  const others = new Set(siblings.filter((other) => other !== slot).flatMap((other) => cues(other, filling)));
  const before = stemsBeside(filling, from, -4);
  return cues(slot, filling).some((cue) => !others.has(cue) && before.includes(cue));
}

const cues = (slot: Slot, { language }: Filling): string[] => [...cuesOf(slot, language)].map(fold);

/** The stems of the words before a place, or behind it, up to a sign of punctuation or another mention. */
function stemsBeside({ utterance, language }: Filling, place: number, reach: number): string[] {
  const { tokens, text, mentions } = utterance;
  const found: string[] = [];
  const step = Math.sign(reach);
  for (let count = 0, at = reach < 0 ? place - 1 : place; count < Math.abs(reach); count++, at += step) {
    const token = tokens[at];
    if (token === undefined || mentions.some(({ from, to }) => at >= from && at < to)) break;
    if (reach > 0 ? startsClause(token) : startsClause(tokens[at + 1])) break;
    found.push(...contentStems(text.slice(token.start, token.end), language).map(fold));
  }
  return found;
}

function take(filling: Filling, slot: Slot, mention: Mention): void {
  filling.free.delete(mention);
  switch (mention.kind) {
    case 'date':
      if (mention.value === null) filling.unclearDay = true;
      else filling.values[slot.name] = mention.value;
      filling.unsure ||= mention.unsure;
      return;
    case 'time':
      if (mention.sure) filling.values[slot.name] = clockText(mention.hour, mention.minute);
      else filling.openHour = { slot: slot.name, hour: mention.hour, minute: mention.minute };
      return;
    case 'email':
      filling.values[slot.name] = mention.value;
      filling.unsure ||= mention.spoken;
      return;
    case 'number':
      filling.values[slot.name] =
        slot.type === 'string' ? (mention.digits ?? String(mention.value)) : mention.value;
  }
}

function fillNumbers(filling: Filling): void {
  const slots = filling.slots.filter((slot) => isOpen(filling, slot) && isNumeric(slot));
  dropRanges(filling);
  const mentions = [...filling.free].filter((mention) => mention.kind === 'number');
  for (const mention of mentions) {
    const named = slots.filter(
      (slot) =>
        isOpen(filling, slot) && fits(slot, mention, false) && isBeside(filling, slot, slots, mention),
    );
    const slot = sole(named);
    // Two numbers for one thing ("two, no, three people"): neither.
    const twice = mentions.filter(
      (other) => slot !== null && fits(slot, other, false) && isBeside(filling, slot, slots, other),
    );
    if (slot !== null && twice.length === 1) take(filling, slot, mention);
    else if (twice.length > 1) for (const other of twice) filling.free.delete(other);
  }
  const left = mentions.filter((mention) => filling.free.has(mention));
  const { asked } = filling;
  if (asked !== null && slots.includes(asked) && isOpen(filling, asked)) {
    const fitting = left.filter((mention) => fits(asked, mention, true) && !isElse(filling, asked, mention));
    const mention = sole(fitting);
    if (mention !== null) take(filling, asked, mention);
  }
  fillParty(filling, slots);
  fillPhone(filling, slots);
}

const EITHER = new Set(['or', 'to', 'o', 'a', 'ou', 'oder', 'bis', fold('या'), fold('से')]);

/** "Two or three people" is neither. */
function dropRanges({ utterance, free }: Filling): void {
  const numbers = utterance.mentions.filter(({ kind }) => kind === 'number');
  for (const [at, number] of numbers.entries()) {
    const next = numbers[at + 1];
    if (next?.from !== number.to + 1 || !EITHER.has(wordAt(utterance.tokens, number.to))) continue;
    free.delete(number);
    free.delete(next);
  }
}

const isNumeric = (slot: Slot): boolean => {
  const kind = kindOf(slot);
  return (
    kind === 'number' ||
    kind === 'phone' ||
    kind === 'pattern' ||
    (kind === 'choice' && slot.choices.every((choice) => /^\d+$/.test(choice)))
  );
};

/** Whether the number can be the slot's at all. */
function fits(slot: Slot, mention: NumberMention, asked: boolean): boolean {
  const { digits, atoms, value } = mention;
  switch (kindOf(slot)) {
    case 'phone':
      return digits !== null && digits.replace('+', '').length >= (asked ? 6 : 7);
    case 'pattern':
      return digits !== null && (slot.pattern?.test(digits) ?? false);
    case 'choice':
      return atoms.length === 1 && slot.choices.includes(String(value));
    default:
      if (slot.type === 'integer' && !Number.isInteger(value)) return false;
      // Digits said one by one are a number's only where it is none of things; "two, three" are two and three.
      return (
        atoms.length === 1 || (isIdentifier(slot) ? !digits?.startsWith('+') : asked && atoms.length > 2)
      );
  }
}

/** A word of the slot's name, or of what it counts, stands beside the number. */
function isBeside(filling: Filling, slot: Slot, siblings: readonly Slot[], mention: NumberMention): boolean {
  const { tokens } = filling.utterance;
  const unit = unitOf(wordAt(tokens, mention.to));
  const units = unitsOf(slot);
  const money = unitOf(wordAt(tokens, mention.from - 1));
  if (/^[$€£₹]$/.test(wordAt(tokens, mention.from - 1)) && units.has(money)) return true;
  if (unit >= 0) return units.has(unit);
  const others = new Set(siblings.filter((other) => other !== slot).flatMap((other) => cues(other, filling)));
  const own = cues(slot, filling).filter((cue) => !others.has(cue));
  const beside = [
    ...stemsBeside(filling, mention.from, -3),
    ...(mention.article ? [] : stemsBeside(filling, mention.to, 2)),
  ];
  return (
    own.some((cue) => beside.includes(cue)) &&
    (isIdentifier(slot) || mention.atoms.length === 1 || kindOf(slot) !== 'number')
  );
}

/** It counts something that the slot does not. */
function isElse(filling: Filling, slot: Slot, mention: NumberMention): boolean {
  const unit = unitOf(wordAt(filling.utterance.tokens, mention.to));
  return unit >= 0 && kindOf(slot) === 'number' && unitsOf(slot).size > 0 && !unitsOf(slot).has(unit);
}

const PARTY: Record<BrainLanguage, { readonly lead: readonly string[]; readonly tail: readonly string[] }> = {
  en: { lead: ['for', 'party of', 'table of', 'group of'], tail: [] },
  es: { lead: ['para'], tail: [] },
  fr: { lead: ['pour'], tail: [] },
  de: { lead: ['für', 'fur'], tail: [] },
  hi: { lead: [], tail: [fold('के लिए'), 'के लिए'] },
};
/** Behind "for two" these make no thing of it that is counted. */
const LINKS = new Set(
  'on at in please tomorrow today tonight this next with and around by monday tuesday wednesday thursday friday saturday sunday el la las a para manana hoy por y de en con le demain aujourd ce du et am um morgen heute'.split(
    ' ',
  ),
);

/** "A table for two" is for two people, unless it could be two o'clock. */
function fillParty(filling: Filling, slots: readonly Slot[]): void {
  const { tokens, mentions } = filling.utterance;
  const slot = sole(slots.filter((open) => unitsOf(open).has(0)));
  if (slot === null || !isOpen(filling, slot)) return;
  const { lead, tail } = PARTY[filling.language];
  const fitting = mentions.filter((mention): mention is NumberMention => {
    if (mention.kind !== 'number' || !filling.free.has(mention) || !fits(slot, mention, false)) return false;
    const led = lead.some(
      (phrase) => phraseAt(tokens, mention.from - phrase.split(' ').length, [phrase]) > 0,
    );
    const tailed = phraseAt(tokens, mention.to, tail) > 0;
    const next = tokens[mention.to];
    return (
      tailed ||
      (led &&
        (startsClause(next) ||
          LINKS.has(next?.text ?? '') ||
          mentions.some(({ from }) => from === mention.to)))
    );
  });
  const mention = sole(fitting);
  const couldBeHour = filling.slots.some((other) => kindOf(other) === 'time' && isOpen(filling, other));
  if (mention !== null && !(couldBeHour && mention.value <= 24)) take(filling, slot, mention);
}

/** A number as long as a telephone's, if nothing else here is a number of many digits. */
function fillPhone(filling: Filling, slots: readonly Slot[]): void {
  const slot = sole(slots.filter((open) => isOpen(filling, open) && kindOf(open) === 'phone'));
  const rival = slots.some(
    (open) => open !== slot && isOpen(filling, open) && (kindOf(open) === 'pattern' || isIdentifier(open)),
  );
  if (slot === null || rival) return;
  const mention = sole([...filling.free].filter((free) => free.kind === 'number' && fits(slot, free, false)));
  if (mention !== null) take(filling, slot, mention);
}

function fillChoices(filling: Filling): void {
  const rest = leftOver(filling.utterance, filling.free);
  for (const slot of filling.slots) {
    if (kindOf(slot) !== 'choice' || !isOpen(filling, slot)) continue;
    const choice = choiceIn(slot.choices, rest, filling.language);
    if (choice === null || sharesChoice(filling, slot, choice)) continue;
    filling.values[slot.name] = slot.type === 'string' ? choice : Number(choice);
  }
}

/** Two slots take the same word: only the one that was asked for gets it. */
const sharesChoice = ({ slots, asked, values }: Filling, slot: Slot, choice: string): boolean =>
  slot !== asked &&
  slots.some((other) => other !== slot && (other.choices.includes(choice) || values[other.name] === choice));

function choiceIn(choices: readonly string[], said: string, language: BrainLanguage): string | null {
  const bare = ` ${bareText(said)} `;
  const spoken = choices.filter((choice) => bare.includes(` ${bareText(choice.replaceAll('_', ' '))} `));
  const longest = spoken.filter(
    (choice) => !spoken.some((other) => other !== choice && other.includes(choice)),
  );
  if (longest.length > 0) return sole(longest);
  const stems = new Set(contentStems(said, language));
  const alike = choices.filter((choice) => {
    const wanted = contentStems(choice.replaceAll('_', ' '), language);
    return wanted.length > 0 && wanted.every((stem) => stems.has(stem));
  });
  return sole(alike);
}

/** What only an answer to its question fills. */
function fillAsked(filling: Filling): void {
  const { asked, utterance, language, free } = filling;
  if (asked === null || !isOpen(filling, asked)) return;
  const kind = kindOf(asked);
  const intent = intentOf(utterance.text, language);
  if (kind === 'boolean' && (intent === 'yes' || intent === 'no'))
    filling.values[asked.name] = intent === 'yes';
  const rest = leftOver(utterance, free);
  if (kind === 'pattern') {
    const found = spelledIn(utterance, free, language).find((candidate) => asked.pattern?.test(candidate));
    if (found !== undefined) filling.values[asked.name] = found;
  }
  if (kind === 'text') {
    const text = freeText(rest, asked, language);
    if (text !== null) filling.values[asked.name] = text;
  }
}

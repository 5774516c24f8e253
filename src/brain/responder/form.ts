import type { BrainLanguage, BrainTool } from '../contract.ts';
import { agreementIn } from './agreement.ts';
import { type Filled, fillSlots, type OpenHour } from './fill.ts';
import { readUtterance, type Utterance } from './mentions.ts';
import { PHRASES } from './phrases.ts';
import { faceOf, readBack } from './read-back.ts';
import { cuesOf, kindOf, type Slot, type SlotValue, slotsOf } from './slots.ts';
import { declinesTool, onlyLooks } from './tool-choice.ts';
import { contentStems } from './words.ts';

type Values = Readonly<Record<string, SlotValue>>;

/** A tool that is being filled in over several turns; plain data, kept as the brain's memory. */
export interface OpenForm {
  readonly tool: string;
  readonly values: Values;
  /** The slot last asked for, and how often in vain. */
  readonly asked: string | null;
  readonly misses: number;
  /** The half of the day of this time was asked for. */
  readonly openHour: OpenHour | null;
  /** Something was taken that was not asked for by itself, or that could mean something else: it is read back. */
  readonly taken: boolean;
  /** It was read back; a yes calls the tool. */
  readonly confirming: boolean;
}

export const newForm = (tool: BrainTool): OpenForm => ({
  tool: tool.name,
  values: {},
  asked: null,
  misses: 0,
  openHour: null,
  taken: false,
  confirming: false,
});

export type FormStep =
  | { readonly kind: 'ask'; readonly form: OpenForm; readonly text: string }
  | { readonly kind: 'call'; readonly values: Values }
  | { readonly kind: 'drop' }
  | { readonly kind: 'give_up' };

const MAX_MISSES = 2;

interface Turn {
  readonly form: OpenForm;
  readonly tool: BrainTool;
  readonly slots: readonly Slot[];
  readonly said: string;
  readonly language: BrainLanguage;
  /** Midnight of the session's day, see `dayIn`. */
  readonly today: number;
}

/** Takes what was said into the form and tells the next step. */
export function advanceForm(
  form: OpenForm,
  tool: BrainTool,
  said: string,
  language: BrainLanguage,
  today: number,
): FormStep {
  const turn: Turn = { form, tool, slots: slotsOf(tool.parameters) ?? [], said, language, today };
  if (declinesTool(tool, said, language) && !isFreeText(turn)) return { kind: 'drop' };
  return form.confirming ? settle(turn) : gather(turn);
}

/** "Please do not book upstairs" can be the note that was asked for. */
const isFreeText = ({ form, slots }: Turn): boolean => {
  const asked = slots.find(({ name }) => name === form.asked);
  return asked !== undefined && kindOf(asked) === 'text';
};

function read(turn: Turn, slots: readonly Slot[], asked: string | null): Filled & { utterance: Utterance } {
  const slot = slots.find(({ name }) => name === asked);
  const time = slot !== undefined && kindOf(slot) === 'time' ? 'time' : null;
  const utterance = readUtterance(turn.said, turn.language, turn.today, time);
  return {
    utterance,
    ...fillSlots(slots, utterance, turn.language, { slot: asked, openHour: turn.form.openHour }),
  };
}

function gather(turn: Turn): FormStep {
  const { form, slots } = turn;
  const filled = read(
    turn,
    slots.filter(({ name }) => !(name in form.values)),
    form.asked,
  );
  const values = { ...form.values, ...filled.values };
  const others = Object.keys(filled.values).some((name) => name !== form.asked);
  const stillOpen = form.openHour !== null && !(form.openHour.slot in values) ? form.openHour : null;
  const openHour = filled.openHour ?? stillOpen;
  const next: OpenForm = { ...form, values, openHour, taken: form.taken || others || filled.unsure };
  if (openHour !== null) {
    const again = form.openHour?.slot === openHour.slot && filled.openHour === null;
    const text = PHRASES[turn.language].whichHalf(faceOf(openHour.hour, openHour.minute));
    return ask(turn, { ...next, asked: openHour.slot }, text, again);
  }
  const missing = slots.find((slot) => slot.required && !(slot.name in values));
  if (missing === undefined)
    return next.taken || asksFirst(turn, values) ? confirm(turn, next) : called(slots, values);
  const text =
    filled.unclearDay && kindOf(missing) === 'date'
      ? PHRASES[turn.language].whichDay
      : askFor(missing, turn.language);
  return ask(turn, { ...next, asked: missing.name }, text, missing.name === form.asked);
}

/** In the order of the schema, which is the operator's. */
function called(slots: readonly Slot[], values: Values): FormStep {
  const known = slots.filter(({ name }) => name in values).map(({ name }) => [name, values[name]]);
  return { kind: 'call', values: Object.fromEntries(known) as Values };
}

/** One word should not be enough to change something that was never talked about. */
const asksFirst = ({ tool, slots }: Turn, values: Values): boolean =>
  !slots.some(({ required }) => required) && !(onlyLooks(tool) && Object.keys(values).length === 0);

function ask(turn: Turn, form: OpenForm, text: string, again: boolean): FormStep {
  const misses = again ? turn.form.misses + 1 : 0;
  return misses > MAX_MISSES ? { kind: 'give_up' } : { kind: 'ask', form: { ...form, misses }, text };
}

const confirm = (turn: Turn, form: OpenForm, again = false): FormStep =>
  ask(
    turn,
    { ...form, asked: null, openHour: null, confirming: true },
    readBack(turn.tool, turn.slots, form.values, turn.language),
    again,
  );

/** The caller's word on what was read back: a yes calls, a correction is read back anew. */
function settle(turn: Turn): FormStep {
  const { form, slots, language } = turn;
  const filled = read(turn, slots, bareSlot(slots));
  const { openHour } = filled;
  const changed = Object.entries(filled.values).filter(([name, value]) => form.values[name] !== value);
  if (openHour !== null && !agrees(openHour, form.values)) {
    const { [openHour.slot]: _gone, ...rest } = form.values;
    const left = {
      ...form,
      values: { ...rest, ...filled.values },
      openHour,
      asked: openHour.slot,
      taken: true,
      confirming: false,
    };
    return ask(turn, left, PHRASES[language].whichHalf(faceOf(openHour.hour, openHour.minute)), false);
  }
  if (changed.length > 0) return confirm(turn, { ...form, values: { ...form.values, ...filled.values } });
  const agreement = agreementIn(turn.said, language);
  const known = new Set(Object.values(form.values).map(String));
  const strange = filled.utterance.mentions.some(
    (mention) =>
      mention.kind === 'number' && !known.has(String(mention.value)) && !known.has(mention.digits ?? ''),
  );
  if (agreement === 'yes' && !strange && !filled.unclearDay) return called(slots, form.values);
  if (agreement === 'no' && Object.keys(form.values).length === 0) return { kind: 'drop' };
  const named = agreement === 'yes' ? null : namedSlot(turn);
  if (named !== null) {
    const { [named.name]: _gone, ...values } = form.values;
    return ask(
      turn,
      { ...form, values, asked: named.name, taken: true, confirming: false },
      askFor(named, language),
      false,
    );
  }
  if (agreement === 'no' || strange) return ask(turn, form, PHRASES[language].whatIsWrong, true);
  return confirm(turn, form, true);
}

/** A number without a word for what it is corrects the only thing that can be one. */
function bareSlot(slots: readonly Slot[]): string | null {
  const bare = slots.filter((slot) => ['number', 'time', 'phone', 'pattern'].includes(kindOf(slot)));
  return bare.length === 1 ? (bare[0]?.name ?? null) : null;
}

/** "At seven", of what is known to be seven in the evening. */
function agrees({ slot, hour, minute }: OpenHour, values: Values): boolean {
  const [knownHour, knownMinute] = String(values[slot] ?? '')
    .split(':')
    .map(Number);
  return knownHour !== undefined && knownHour % 12 === hour % 12 && knownMinute === minute;
}

/** "The day is wrong." */
function namedSlot({ slots, said, language }: Turn): Slot | null {
  const stems = new Set(contentStems(said, language));
  const named = slots.filter((slot) => [...cuesOf(slot, language)].some((cue) => stems.has(cue)));
  return named.length === 1 ? (named[0] ?? null) : null;
}

function askFor(slot: Slot, language: BrainLanguage): string {
  const phrases = PHRASES[language];
  if (slot.choices.length === 0) return phrases.askFor(slot.label);
  const spoken = slot.choices.map((choice) => choice.replaceAll('_', ' '));
  const last = spoken.pop() ?? '';
  const choices = spoken.length === 0 ? last : `${spoken.join(', ')} ${phrases.or} ${last}`;
  return phrases.askChoice(slot.label, choices);
}

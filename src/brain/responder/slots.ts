import { compilePattern, type Pattern } from '../../platform/patterns.ts';
import type { BrainLanguage } from '../contract.ts';
import { bareText, intentOf } from './intents.ts';
import { numbersIn } from './numbers.ts';
import { dateIn, timeIn } from './times.ts';
import { contentStems } from './words.ts';

/** A property of a tool's JSON Schema that the responder can fill from speech. */
export interface Slot {
  readonly name: string;
  /** How it is asked for: the description, or the name with its underscores opened. */
  readonly label: string;
  readonly required: boolean;
  readonly type: 'string' | 'number' | 'integer' | 'boolean';
  readonly format: string | null;
  readonly choices: readonly string[];
  readonly pattern: Pattern | null;
}

export type SlotValue = string | number | boolean;

/** The slots of a schema; null when it asks for something that can't be asked for aloud (a required object, say). */
export function slotsOf(parameters: Readonly<Record<string, unknown>>): Slot[] | null {
  const properties = parameters.properties;
  const required = Array.isArray(parameters.required) ? (parameters.required as unknown[]) : [];
  if (typeof properties !== 'object' || properties === null) return required.length === 0 ? [] : null;
  const slots: Slot[] = [];
  for (const [name, schema] of Object.entries(properties as Record<string, Record<string, unknown>>)) {
    const slot = slotOf(name, schema, required.includes(name));
    if (slot !== null) slots.push(slot);
    else if (required.includes(name)) return null;
  }
  return slots;
}

function slotOf(name: string, schema: Record<string, unknown>, required: boolean): Slot | null {
  const type = schema.type ?? 'string';
  if (type !== 'string' && type !== 'number' && type !== 'integer' && type !== 'boolean') return null;
  const description = typeof schema.description === 'string' ? schema.description.trim() : '';
  return {
    name,
    label: (description || name.replaceAll('_', ' ')).replace(/[.?!]+$/, '').toLowerCase(),
    required,
    type,
    format: typeof schema.format === 'string' ? schema.format : null,
    choices: Array.isArray(schema.enum) ? schema.enum.map(String) : [],
    pattern: patternOf(schema.pattern),
  };
}

function patternOf(pattern: unknown): Pattern | null {
  if (typeof pattern !== 'string') return null;
  try {
    return compilePattern(pattern);
  } catch {
    return null;
  }
}

const EMAIL = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\.\p{L}{2,}/u;
const PHONE = /\+?\d[\d ().-]{5,}\d/u;

/** Finds the slot's value in what the caller said. `asked`: this slot was just asked for, so that a free text is all
 * of the answer; otherwise only what can't be mistaken is taken. */
export function fillSlot(
  slot: Slot,
  said: string,
  language: BrainLanguage,
  options: { asked: boolean; now: number },
): SlotValue | null {
  if (slot.choices.length > 0) return choiceIn(slot.choices, said, language);
  if (slot.type === 'boolean') return options.asked ? booleanIn(said, language) : null;
  if (slot.type === 'integer' || slot.type === 'number')
    return numberFor(slot, said, language, options.asked);
  if (slot.format !== null) return formatted(slot.format, said, language, options.now);
  if (slot.pattern !== null) return said.split(/[\s,]+/).find((word) => slot.pattern?.test(word)) ?? null;
  if (!options.asked) return null;
  return said.trim().replace(/[.!?।]+$/u, '') || null;
}

function numberFor(slot: Slot, said: string, language: BrainLanguage, asked: boolean): number | null {
  const [first] = numbersIn(said, language, { articles: asked }).filter(
    (number) => slot.type !== 'integer' || Number.isInteger(number),
  );
  return first ?? null;
}

function formatted(format: string, said: string, language: BrainLanguage, now: number): string | null {
  switch (format) {
    case 'date':
      return dateIn(said, language, now);
    case 'time':
      return timeIn(said, language);
    case 'email':
      return (
        EMAIL.exec(
          said.replace(/ (at|arroba|arobase) /i, '@').replace(/ (dot|punto|point|punkt) /gi, '.'),
        )?.[0] ?? null
      );
    case 'phone':
      return PHONE.exec(said)?.[0].replace(/[^\d+]/g, '') ?? null;
    default:
      return null;
  }
}

function choiceIn(choices: readonly string[], said: string, language: BrainLanguage): string | null {
  const bare = ` ${bareText(said)} `;
  const spoken = choices.find((choice) => bare.includes(` ${bareText(choice.replaceAll('_', ' '))} `));
  if (spoken !== undefined) return spoken;
  const stems = new Set(contentStems(said, language));
  const alike = choices.filter((choice) => {
    const wanted = contentStems(choice.replaceAll('_', ' '), language);
    return wanted.length > 0 && wanted.every((stem) => stems.has(stem));
  });
  return alike.length === 1 ? (alike[0] ?? null) : null;
}

function booleanIn(said: string, language: BrainLanguage): boolean | null {
  const intent = intentOf(said, language);
  if (intent === 'yes') return true;
  return intent === 'no' ? false : null;
}

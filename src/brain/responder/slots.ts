import { compilePattern, type Pattern } from '../../platform/patterns.ts';
import type { BrainLanguage } from '../contract.ts';
import { unitOf } from './mentions.ts';
import { tokensOf } from './tokens.ts';
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
    label: (description || openedName(name)).replace(/[.?!]+$/, '').toLowerCase(),
    required,
    type,
    format: typeof schema.format === 'string' ? schema.format : null,
    choices: Array.isArray(schema.enum) ? schema.enum.map(String) : [],
    pattern: patternOf(schema.pattern),
  };
}

export const openedName = (name: string): string =>
  name.replaceAll(/[_-]/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2');

function patternOf(pattern: unknown): Pattern | null {
  if (typeof pattern !== 'string') return null;
  try {
    return compilePattern(pattern);
  } catch {
    return null;
  }
}

export type SlotKind =
  | 'choice'
  | 'boolean'
  | 'number'
  | 'date'
  | 'time'
  | 'email'
  | 'phone'
  | 'pattern'
  | 'text';

export function kindOf(slot: Slot): SlotKind {
  if (slot.choices.length > 0) return 'choice';
  if (slot.type === 'boolean') return 'boolean';
  if (slot.type === 'integer' || slot.type === 'number') return 'number';
  switch (slot.format) {
    case 'date':
    case 'time':
    case 'email':
    case 'phone':
      return slot.format;
    default:
      return slot.pattern === null ? 'text' : 'pattern';
  }
}

/** An integer that counts nothing: a number of an order, an account, a street. */
const IDENTIFIER =
  /(?<!\p{L})(order|account|customer|reference|booking|invoice|ticket|member|policy|tracking|serial|case|postal|zip|card|room|flight|id|code|pin|pedido|cuenta|cliente|referencia|reserva|factura|código|commande|compte|client|dossier|référence|facture|bestell\p{L}*|konto\p{L}*|kunden\p{L}*|ऑर्डर|खाता|खाते|ग्राहक|कोड)(?!\p{L})/iu;
const COUNT =
  /(?<!\p{L})(number of|how many|count|quantity|número de (personas|noches|habitaciones)|cuántos|cantidad|nombre de|combien|anzahl|संख्या|कितने)(?!\p{L})/iu;

export const isIdentifier = (slot: Slot): boolean => {
  const said = `${openedName(slot.name)} ${slot.label}`;
  return IDENTIFIER.test(said) && !COUNT.test(said);
};

/** The stems of the words by which a slot is called. */
export function cuesOf(slot: Slot, language: BrainLanguage): ReadonlySet<string> {
  const cues = new Set([
    ...contentStems(`${openedName(slot.name)} ${slot.label}`, language),
    ...contentStems(openedName(slot.name), 'en'),
  ]);
  // "My phone number" names no order number.
  const telling = [...cues].filter((cue) => !/^(numb|númer|numér|numéro|numm|nummer|नंबर|संख्य)/u.test(cue));
  return telling.length > 0 ? new Set(telling) : cues;
}

/** What a number slot counts, by the words of its name. */
export const unitsOf = (slot: Slot): ReadonlySet<number> =>
  new Set(
    tokensOf(`${openedName(slot.name)} ${slot.label}`)
      .map(({ text }) => unitOf(text))
      .filter((unit) => unit >= 0),
  );

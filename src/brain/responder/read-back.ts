import type { BrainLanguage, BrainTool } from '../contract.ts';
import { PHRASES } from './phrases.ts';
import { isIdentifier, kindOf, openedName, type Slot, type SlotValue } from './slots.ts';

/** "The day: Friday, 27 November; the time: 7:30 in the evening." */
export function readBack(
  tool: BrainTool,
  slots: readonly Slot[],
  values: Readonly<Record<string, SlotValue>>,
  language: BrainLanguage,
): string {
  const phrases = PHRASES[language];
  const known = slots.filter(({ name }) => name in values);
  if (known.length === 0) return phrases.shallI(purpose(tool));
  const parts = known.map((slot) => `${slot.label}: ${spoken(slot, values[slot.name] ?? '', language)}`);
  return phrases.isThatRight(parts.join('; '));
}

/** What a tool is for, in the words of whoever gave it. */
function purpose(tool: BrainTool): string {
  const [sentence = ''] = tool.description.trim().split(/(?<=[.!?।])\s/u);
  const plain = sentence.replace(/[.!?।]+$/u, '') || openedName(tool.name);
  return plain.charAt(0).toLowerCase() + plain.slice(1);
}

function spoken(slot: Slot, value: SlotValue, language: BrainLanguage): string {
  if (typeof value === 'boolean') return value ? PHRASES[language].yes : PHRASES[language].no;
  const text = String(value);
  switch (kindOf(slot)) {
    case 'date':
      return spokenDay(text, language);
    case 'time':
      return spokenTime(text, language);
    case 'choice':
      return text.replaceAll('_', ' ');
    case 'phone':
      return [...text].join(' ');
    case 'pattern':
      return /^[\p{L}\d]*\d[\p{L}\d]*$/u.test(text) ? [...text].join(' ') : text;
    default:
      return typeof value === 'number' && isIdentifier(slot) ? [...text].join(' ') : text;
  }
}

/** With its weekday, by which a wrong day is heard at once. */
function spokenDay(iso: string, language: BrainLanguage): string {
  const day = new Date(`${iso}T00:00:00Z`);
  const format = {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  } as const;
  return new Intl.DateTimeFormat(`${language}-u-nu-latn`, format).format(day);
}

export function spokenTime(clock: string, language: BrainLanguage): string {
  const [hour = 0, minute = 0] = clock.split(':').map(Number);
  const half = hour < 12 ? 0 : hour < 17 ? 1 : 2;
  return PHRASES[language].timeOf(faceOf(hour, minute), half, `${hour}:${String(minute).padStart(2, '0')}`);
}

/** As a clock's face shows it. */
export const faceOf = (hour: number, minute: number): string =>
  `${hour % 12 === 0 ? 12 : hour % 12}:${String(minute).padStart(2, '0')}`;

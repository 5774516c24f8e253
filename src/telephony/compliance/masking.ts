import { redactText, scanForPii } from '../../language/pii/index.ts';
import type { PiiClass } from './contract.ts';

const HIDDEN = '•••';
/** So many of the last characters tell a person which number it is, and nobody what it is. */
const SHOWN = 4;

const lastOf = (value: string): string =>
  value.length >= 2 * SHOWN ? `${HIDDEN}${value.slice(-SHOWN)}` : HIDDEN;

const initials = (value: string): string =>
  value
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => `${[...word][0]}${HIDDEN}`)
    .join(' ');

/** A value as anybody is shown it. */
export function masked(value: string, pii: PiiClass): string {
  switch (pii) {
    case 'none':
      return value;
    case 'name':
      return initials(value);
    case 'phone_number':
    case 'account_number':
    case 'tax_id':
      return lastOf(value);
    case 'address':
    case 'birth_date':
    case 'secret':
      return HIDDEN;
  }
}

/** Words of a customer's own, without what is personal in them: what is kept and shown. */
export const withoutPersonal = (text: string): string => redactText(text, scanForPii(text));

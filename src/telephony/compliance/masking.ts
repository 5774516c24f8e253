import { redactText, scanForPii } from '../../language/pii/index.ts';
import type { PiiClass } from './contract.ts';

const HIDDEN = '•••';
const SHOWN = 4;

const lastOf = (value: string): string =>
  value.length >= 2 * SHOWN ? `${HIDDEN}${value.slice(-SHOWN)}` : HIDDEN;

const initials = (value: string): string =>
  value
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => `${[...word][0]}${HIDDEN}`)
    .join(' ');

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

export const withoutPersonal = (text: string): string => redactText(text, scanForPii(text));

import { ApiError } from '../../../../foundation/platform/errors.ts';
import {
  PII_ENTITIES,
  type PiiEntity,
  redactSegments,
  type TimedWord,
} from '../../../../language/pii/index.ts';

export const REDACTIONS: Readonly<Record<string, readonly PiiEntity[]>> = {
  pci: ['CARD', 'CVV'],
  credit_card: ['CARD'],
  cvv: ['CVV'],
  ssn: ['SSN'],
  phone_number: ['PHONE'],
  email_address: ['EMAIL'],
  name: ['NAME'],
  name_given: ['NAME'],
  name_family: ['NAME'],
  location_address: ['ADDRESS'],
  dob: ['BIRTH_DATE'],
  passport_number: ['PASSPORT'],
  account_number: ['ACCOUNT', 'IBAN'],
  bank_account: ['ACCOUNT', 'IBAN'],
  drivers_license: ['NATIONAL_ID'],
  pii: PII_ENTITIES,
};

const OFF = new Set(['', 'false']);

/** Throws for an entity that this server cannot detect, because the text would then keep it. */
export function redactionsOf(said: readonly string[]): readonly PiiEntity[] {
  const names = said
    .flatMap((one) => one.split(','))
    .map((one) => one.trim().toLowerCase())
    .filter((one) => !OFF.has(one));
  const entities = names.map((name) => {
    if (Object.hasOwn(REDACTIONS, name)) return REDACTIONS[name]!;
    const known = Object.keys(REDACTIONS).join(', ');
    throw new ApiError('invalid_request', `redact must be one of ${known}.`, {
      param: 'redact',
    });
  });
  return [...new Set(entities.flat())];
}

export function redacted<S extends { readonly text: string; readonly words: readonly TimedWord[] }>(
  segment: S,
  entities: readonly PiiEntity[],
): S {
  return entities.length === 0 ? segment : redactSegments([segment], entities).segments[0]!;
}

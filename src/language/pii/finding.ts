export const PII_ENTITIES = [
  'SSN',
  'CARD',
  'CVV',
  'EMAIL',
  'PHONE',
  'NAME',
  'ADDRESS',
  'BIRTH_DATE',
  'PASSPORT',
  'ACCOUNT',
  'IBAN',
  'NATIONAL_ID',
] as const;
export type PiiEntity = (typeof PII_ENTITIES)[number];

/** A transcription job redacts these kinds unless it names others. */
export const DEFAULT_PII_ENTITIES: readonly PiiEntity[] = ['SSN', 'CARD', 'CVV', 'EMAIL', 'PHONE'];

export interface PiiFinding {
  readonly type: PiiEntity;
  readonly start: number;
  readonly end: number;
}

/** It separates what one speaker says from what the next one says, where turns are read as one text. */
export const TURN_END = '\u2028';

export const piiTagOf = (type: PiiEntity): string => `[REDACTED_${type}]`;

export const PII_ENTITIES = ['SSN', 'CARD', 'CVV', 'EMAIL', 'PHONE'] as const;
export type PiiEntity = (typeof PII_ENTITIES)[number];

/** The span of personal data in a text. */
export interface PiiFinding {
  readonly type: PiiEntity;
  readonly start: number;
  readonly end: number;
}

export const piiTagOf = (type: PiiEntity): string => `[REDACTED_${type}]`;

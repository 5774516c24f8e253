export const ENTITIES = ['SSN', 'CARD', 'CVV', 'EMAIL', 'PHONE'] as const;
export type Entity = (typeof ENTITIES)[number];

/** Where something personal stands in a text. */
export interface Finding {
  readonly type: Entity;
  readonly start: number;
  readonly end: number;
}

export const tagOf = (type: Entity): string => `[REDACTED_${type}]`;

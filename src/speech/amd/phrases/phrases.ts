import type { ClassifiedAnswer } from '../contract.ts';

/** The sentences are training examples, not patterns to match. */
export type Phrases = Readonly<Record<Exclude<ClassifiedAnswer, 'fax'>, readonly string[]>>;

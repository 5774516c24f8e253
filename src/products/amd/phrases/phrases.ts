import type { ClassifiedAnswer } from '../contract.ts';

/** What each of them says in one language: sentences to learn from, not patterns to match. */
export type Phrases = Readonly<Record<Exclude<ClassifiedAnswer, 'fax'>, readonly string[]>>;

export { bodyHash, type KeepAnswer, KeptAnswers, type Repeatable } from './kept-answers.ts';
export { registerIdempotency } from './register.ts';

export type { Holding, Holds, Person, Removed } from './contract.ts';
export { type Erasure, Erasures, type Trail } from './erasures.ts';
export { AnonymousExpiry } from './expiry.ts';
export { type LegalHold, LegalHolds } from './holds.ts';
export { removeOrphans } from './orphans.ts';
export { mustNotBeHeld } from './protection.ts';
export { Removal } from './removal.ts';
export { expiring, type RetentionDeps, RetentionSweep } from './retention.ts';
export { holdingOf } from './rows-of-persons.ts';

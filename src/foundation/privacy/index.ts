export { AnonymousExpiry } from './anonymous-expiry.ts';
export type { DataSubject, ErasureResult, LegalHoldLookup, PersonalDataStore } from './contract.ts';
export { type Erasure, Erasures, type RecordCleanup } from './erasures.ts';
export { requireNoLegalHoldOn } from './legal-hold-check.ts';
export { type LegalHold, LegalHolds } from './legal-holds.ts';
export { removeOrphans } from './orphaned-files.ts';
export { personalDataStoreOf } from './personal-data-table.ts';
export { RetentionSweep, type RetentionSweepOptions, retentionRule } from './retention-sweep.ts';
export { TenantDeletion } from './tenant-deletion.ts';

import type { TenantScope } from '../access/contract.ts';

/** One of a customer's callers, as the customer calls them. */
export interface DataSubject {
  readonly externalId: string;
  /** Only what was made up to then: an erasure that is replayed leaves alone what came after it. */
  readonly until: number;
}

/** A module reports the records that it removed, and those that a legal hold made it retain. */
export interface ErasureResult {
  /** How much of what: `{calls: 2, transcripts: 2}`. */
  readonly counts: Readonly<Record<string, number>>;
  /** Ids of the records that are gone. */
  readonly records: readonly string[];
  readonly held: readonly string[];
}

/** The interface by which a module declares the personal data that it holds. A new module joins by one line in `src/main/main.ts`. */
export interface PersonalDataStore {
  /** The names under which persons are known here. */
  dataSubjectsOf(scope: TenantScope): Promise<readonly string[]>;
  /** Whether it has a record of that id. */
  has(scope: TenantScope, record: string): Promise<boolean>;
  /** Removes or redacts all that it holds of the person, but what is held. Doing it twice removes nothing more. */
  erase(scope: TenantScope, person: DataSubject, holds: LegalHoldLookup): Promise<ErasureResult>;
}

/** The records that nothing may remove. */
export interface LegalHoldLookup {
  /** Returns those of the ids that a legal hold covers. */
  among(scope: TenantScope, records: readonly string[]): Promise<ReadonlySet<string>>;
}

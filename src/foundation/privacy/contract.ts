import type { TenantScope } from '../access/contract.ts';

export interface DataSubject {
  readonly externalId: string;
  /** The erasure covers only data up to this time: a replay keeps newer data. */
  readonly until: number;
}

export interface ErasureResult {
  readonly counts: Readonly<Record<string, number>>;
  readonly records: readonly string[];
  readonly held: readonly string[];
}

/** A module declares its personal data by this interface. A new module is registered in `src/main/main.ts`. */
export interface PersonalDataStore {
  dataSubjectsOf(scope: TenantScope): Promise<readonly string[]>;
  has(scope: TenantScope, record: string): Promise<boolean>;
  /** Removes or redacts all personal data except records under a legal hold. It is idempotent. */
  erase(scope: TenantScope, person: DataSubject, holds: LegalHoldLookup): Promise<ErasureResult>;
}

export interface LegalHoldLookup {
  among(scope: TenantScope, records: readonly string[]): Promise<ReadonlySet<string>>;
}

import type { Environment } from '../../tenancy/index.ts';

/** Rows of the tables that the privacy module owns. */

/** A record that neither a sweep, nor a request, nor an erasure removes. */
export interface LegalHoldRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  /** The record's id. */
  record: string;
  reason: string;
  placed_at: number;
}

/** That a person was forgotten; who it was is only told by a hash. */
export interface ErasureRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  salt: string;
  person: string;
  /** JSON: how much of what was removed. */
  counts: string;
  sha256: string;
  erased_at: number;
}

export interface PrivacyTables {
  legal_holds: LegalHoldRow;
  erasures: ErasureRow;
}

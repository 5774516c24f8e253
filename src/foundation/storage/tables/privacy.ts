import type { Environment } from '../../tenancy/index.ts';

export interface LegalHoldRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  record: string;
  reason: string;
  placed_at: number;
}

export interface ErasureRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  salt: string;
  person: string;
  counts: string;
  sha256: string;
  erased_at: number;
}

export interface PrivacyTables {
  legal_holds: LegalHoldRow;
  erasures: ErasureRow;
}

import type { Environment } from '../../tenancy/index.ts';

/** A file that counts against an organization's quota, from before its first byte until it is deleted. */
export interface StoredFileRow {
  area: string;
  owner: string;
  name: string;
  org_id: string;
  environment: Environment;
  /** Reserved, until it is stored: then exact. */
  bytes: number;
  reserved_at: number;
  stored_at: number | null;
}

export interface FilesTables {
  stored_files: StoredFileRow;
}

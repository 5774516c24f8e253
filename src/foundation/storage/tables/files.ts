import type { Environment } from '../../tenancy/index.ts';

export interface StoredFileRow {
  area: string;
  owner: string;
  name: string;
  org_id: string;
  environment: Environment;
  bytes: number;
  reserved_at: number;
  stored_at: number | null;
}

export interface FilesTables {
  stored_files: StoredFileRow;
}

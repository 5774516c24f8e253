import type { Environment } from '../../tenancy/index.ts';

export interface AuditHeadRow {
  org_id: string;
  sequence: number;
  hash: string;
}

/** A trigger refuses every change of an existing row. */
export interface AuditEntryRow {
  id: string;
  org_id: string;
  sequence: number;
  at: number;
  project_id: string | null;
  environment: Environment | null;
  actor_kind: 'user' | 'key' | 'operator' | 'system';
  actor_id: string;
  source: string | null;
  action: string;
  target: string;
  before: string | null;
  after: string | null;
  request_id: string | null;
  hash: string;
}

export interface AuditTables {
  audit_heads: AuditHeadRow;
  audit_entries: AuditEntryRow;
}

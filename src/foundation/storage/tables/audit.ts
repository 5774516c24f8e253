import type { Environment } from '../../tenancy/index.ts';

/** Rows of the tables that the audit module owns. */

/** The end of an organization's chain; the deployment's own has no organization. */
export interface AuditHeadRow {
  org_id: string;
  sequence: number;
  hash: string;
}

/** A trigger refuses every change of an existing row. */
export interface AuditEntryRow {
  id: string;
  org_id: string;
  /** From 1, without a gap. */
  sequence: number;
  at: number;
  /** Entries about the whole organization have null. */
  project_id: string | null;
  environment: Environment | null;
  actor_kind: 'user' | 'key' | 'operator' | 'system';
  actor_id: string;
  /** The network address that it came from. */
  source: string | null;
  action: string;
  target: string;
  /** JSON, or null. */
  before: string | null;
  after: string | null;
  request_id: string | null;
  /** Covers the entry and the hash of the one before. */
  hash: string;
}

export interface AuditTables {
  audit_heads: AuditHeadRow;
  audit_entries: AuditEntryRow;
}

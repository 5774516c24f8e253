import type { Environment } from '../../tenancy/index.ts';
import type { AccessTables } from './access.ts';
import type { AgentsTables } from './agents.ts';
import type { AmdTables } from './amd.ts';
import type { AuditTables } from './audit.ts';
import type { BillingTables } from './billing.ts';
import type { CallsTables } from './calls.ts';
import type { CastTables } from './cast.ts';
import type { ComplianceTables } from './compliance.ts';
import type { DubTables } from './dub.ts';
import type { FilesTables } from './files.ts';
import type { HearTables } from './hear.ts';
import type { IntegrationsTables } from './integrations.ts';
import type { JobsTables } from './jobs.ts';
import type { KnowledgeTables } from './knowledge.ts';
import type { MessagesTables } from './messages.ts';
import type { MsgappTables } from './msgapp.ts';
import type { NodesTables } from './nodes.ts';
import type { OmniTables } from './omni.ts';
import type { PrivacyTables } from './privacy.ts';
import type { ProvenanceTables } from './provenance.ts';
import type { RecapTables } from './recap.ts';
import type { RecordingsTables } from './recordings.ts';
import type { SpeakTables } from './speak.ts';
import type { TelephonyTables } from './telephony.ts';
import type { TraceTables } from './trace.ts';
import type { WebhooksTables } from './webhooks.ts';

/** Every table's row types. A module's tables live in a file of their own beside this one and are joined here.
 * Rules that keep one set of queries valid on SQLite and PostgreSQL: times are Unix milliseconds in bigint columns,
 * flags are integer 0/1, documents are JSON text, ids are text. */
export type EveryTable = AccessTables &
  AgentsTables &
  AmdTables &
  AuditTables &
  PrivacyTables &
  ProvenanceTables &
  BillingTables &
  CallsTables &
  CastTables &
  ComplianceTables &
  FilesTables &
  HearTables &
  SpeakTables &
  JobsTables &
  TelephonyTables &
  TraceTables &
  RecapTables &
  RecordingsTables &
  DubTables &
  WebhooksTables &
  IntegrationsTables &
  MessagesTables &
  OmniTables &
  NodesTables &
  MsgappTables &
  KnowledgeTables;

interface TenantColumns {
  org_id: string;
  project_id: string;
  environment: Environment;
}
export type TenantColumn = keyof TenantColumns;

type TablesOf<Columns> = {
  [T in keyof EveryTable]: EveryTable[T] extends Columns ? T : never;
}[keyof EveryTable];

/** They have tenant columns, and no route reads them by a customer's id: access looks keys up by their text, billing adds up. */
type ReadAcrossTenants = 'api_keys' | 'usage_events' | 'usage_holds' | 'usage_days' | 'provider_costs';

/** These rows belong to a whole organization: what its members manage, and the sums of its billing. */
type OfOrganization =
  | 'projects'
  | 'users'
  | 'invitations'
  | 'mail_recipients'
  | 'allowed_origins'
  | 'console_sessions'
  | 'browser_tokens'
  | 'retention'
  | 'organization_entitlements'
  | 'provenance_settings'
  | 'audit_heads'
  | 'audit_entries'
  | 'stored_files'
  | 'ledger_entries'
  | 'invoices';

/** Tables of customers' rows: reached through `within` alone. Every table that bears the three columns is one. */
export type TenantTableName = Exclude<TablesOf<TenantColumns>, ReadAcrossTenants>;

/** A table of an organization that neither has tenant columns nor is listed as needing none does not type-check here: give its
 * rows `project_id` and `environment`, or name it above with the reason. */
type Forgotten = Exclude<TablesOf<{ org_id: string }>, TenantTableName | ReadAcrossTenants | OfOrganization>;
type None<T extends never> = T;
export type NoTableWithoutTenant = None<Forgotten>;

/** Rows that belong to a row of a bordered table. */
export const PARTS = {
  transcription_segments: { of: 'transcription_jobs', by: 'job_id' },
  transcription_results: { of: 'transcription_jobs', by: 'job_id' },
  dub_stretches: { of: 'dub_jobs', by: 'job_id' },
} as const satisfies Partial<Record<keyof EveryTable, { of: TenantTableName; by: string }>>;
export type Part = keyof typeof PARTS;

/** A query without a tenant scope sees only these tables. */
export type Tables = Omit<EveryTable, TenantTableName | Part>;

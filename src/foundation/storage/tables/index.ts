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
import type { ProvidersTables } from './providers.ts';
import type { RecapTables } from './recap.ts';
import type { RecordingsTables } from './recordings.ts';
import type { SpeakTables } from './speak.ts';
import type { TelephonyTables } from './telephony.ts';
import type { TraceTables } from './trace.ts';
import type { WebhooksTables } from './webhooks.ts';

/**
 * Every table's row types are joined here; a module's tables have their own file. To keep queries valid on SQLite and
 * PostgreSQL, times are Unix milliseconds in bigint columns, flags are integer 0/1, documents are JSON text, and ids
 * are text.
 */
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
  KnowledgeTables &
  ProvidersTables;

interface TenantColumns {
  org_id: string;
  project_id: string;
  environment: Environment;
}
export type TenantColumn = keyof TenantColumns;

type TablesOf<Columns> = {
  [T in keyof EveryTable]: EveryTable[T] extends Columns ? T : never;
}[keyof EveryTable];

/**
 * They have tenant columns, but no route reads them by a customer's id: access looks keys up by their text, billing
 * sums them.
 */
type ReadAcrossTenants = 'api_keys' | 'usage_events' | 'usage_holds' | 'usage_days' | 'provider_costs';

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

/**
 * Tables with customers' rows are reached through `withinTenant` alone. Every table with the three tenant columns is
 * one.
 */
export type TenantTableName = Exclude<TablesOf<TenantColumns>, ReadAcrossTenants>;

/**
 * A table of an organization that is neither tenant-scoped nor listed above does not type-check here: it needs
 * `project_id` and `environment`, or an entry above with the reason.
 */
type Forgotten = Exclude<TablesOf<{ org_id: string }>, TenantTableName | ReadAcrossTenants | OfOrganization>;
type None<T extends never> = T;
export type NoTableWithoutTenant = None<Forgotten>;

export const PARTS = {
  transcription_segments: { of: 'transcription_jobs', by: 'job_id' },
  transcription_results: { of: 'transcription_jobs', by: 'job_id' },
  dub_stretches: { of: 'dub_jobs', by: 'job_id' },
  call_recording_segments: { of: 'call_recordings', by: 'recording_id' },
} as const satisfies Partial<Record<keyof EveryTable, { of: TenantTableName; by: string }>>;
export type Part = keyof typeof PARTS;

export type Tables = Omit<EveryTable, TenantTableName | Part>;

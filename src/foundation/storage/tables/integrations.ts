import type { Environment } from '../../tenancy/index.ts';

export interface DestinationRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  kind: string;
  name: string | null;
  url: string;
  events: string;
  filters: string;
  event_version: string;
  settings: string | null;
  status: 'active' | 'paused' | 'gone';
  /**
   * The column is JSON `{kind, id}` of the key or person, for the audit alone. It is null for the operator, the
   * product and older rows.
   */
  created_by: string | null;
  created_at: number;
  updated_at: number;
}

/** A provider of calls proves with this token that its events belong to the customer. */
export interface CallTokenRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  provider: string;
  token_hash: string;
  key_id: string;
  created_at: number;
}

export interface ImportedCallRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  provider: string;
  provider_call_id: string;
  key_id: string;
  direction: 'inbound' | 'outbound' | null;
  from_number: string | null;
  to_number: string | null;
  /** The call is erased under this number of the customer. */
  external_id: string | null;
  started_at: number | null;
  ended_at: number | null;
  recording_url: string | null;
  state: 'waiting' | 'queued' | 'submitted' | 'failed';
  job_id: string | null;
  error: string | null;
  created_at: number;
  updated_at: number;
}

export interface InstallationRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  partner: string;
  configuration_id: string;
  key_id: string;
  created_at: number;
}

export interface IntegrationsTables {
  installations: InstallationRow;
  call_tokens: CallTokenRow;
  imported_calls: ImportedCallRow;
  destinations: DestinationRow;
}

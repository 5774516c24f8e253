import type { Environment } from '../../tenancy/index.ts';

/** Somewhere that a customer's events are brought. */
export interface DestinationRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  kind: string;
  name: string | null;
  /** Where it is, as deliveries show it and take turns by it. */
  url: string;
  /** Types of events, a JSON list. */
  events: string;
  /** By type of event, what its data must hold. */
  filters: string;
  event_version: string;
  /** The adapter's settings, sealed; null where it needs none. */
  settings: string | null;
  status: 'active' | 'paused' | 'gone';
  /** JSON `{kind, id}` of the key or person, for the audit alone; null: nobody, or a row of before. */
  created_by: string | null;
  created_at: number;
  updated_at: number;
}

/** A provider of calls proves with this token that its events are a customer's. */
export interface CallTokenRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  provider: string;
  token_hash: string;
  /** Processing of the calls is charged to this key. */
  key_id: string;
  created_at: number;
}

/** A call that another provider carried. */
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
  /** The customer's number, under which the call is erased. */
  external_id: string | null;
  started_at: number | null;
  ended_at: number | null;
  recording_url: string | null;
  /** `waiting` for its recording, `queued` for Hear, `submitted` to it, or `failed`. */
  state: 'waiting' | 'queued' | 'submitted' | 'failed';
  job_id: string | null;
  error: string | null;
  created_at: number;
  updated_at: number;
}

/** The key of an installation at a hosting partner. */
export interface InstallationRow {
  org_id: string;
  project_id: string;
  environment: Environment;
  partner: string;
  configuration_id: string;
  key_id: string;
  created_at: number;
}

/** Rows of the tables that the integrations modules own. */
export interface IntegrationsTables {
  installations: InstallationRow;
  call_tokens: CallTokenRow;
  imported_calls: ImportedCallRow;
  destinations: DestinationRow;
}

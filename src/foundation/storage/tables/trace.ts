import type { Environment } from '../../tenancy/index.ts';

interface TenantColumns {
  org_id: string;
  project_id: string;
  environment: Environment;
}

export interface TracePackRow extends TenantColumns {
  id: string;
  pack_id: string;
  version: string;
  etag: string;
  status: 'active' | 'retired';
  spec: string;
  created_at: number;
}

export interface TraceSettingsRow extends TenantColumns {
  agent_id: string;
  settings: string;
  updated_at: number;
}

export interface TraceInteractionRow extends TenantColumns {
  id: string;
  source_kind: 'transcript' | 'call' | 'job';
  source_id: string | null;
  agent_id: string | null;
  agent_version: string | null;
  /** The ids of the agents that took the call from the first, as JSON; null where there were none. */
  later_agents: string | null;
  external_id: string | null;
  verdict: 'clean' | 'findings' | 'violations';
  digest: string;
  signature: string;
  packs: string;
  unjudged: string;
  document: string | null;
  created_at: number;
}

export interface TraceResultRow extends TenantColumns {
  id: string;
  interaction_id: string;
  outcome: 'violation' | 'finding';
  pack: string;
  pack_id: string;
  pack_version: string;
  rule_id: string;
  severity: string;
  agent_id: string | null;
  agent_version: string | null;
  day: string;
  status: 'open' | 'acknowledged' | 'dismissed' | 'remediated';
  currency: string | null;
  least_micros: number;
  most_micros: number;
  document: string;
  moves: string;
  created_at: number;
}

export interface TraceSuppressionRow extends TenantColumns {
  phone_number: string;
  reason: string;
  /** The request was made in this interaction; null where a person entered it. */
  interaction_id: string | null;
  created_at: number;
}

export interface TraceConsentRow extends TenantColumns {
  id: string;
  phone_number: string;
  basis: string;
  obtained_at: number;
  evidence: string | null;
  revoked_at: number | null;
  created_at: number;
}

export interface TraceAttemptRow extends TenantColumns {
  id: string;
  phone_number: string;
  agent_id: string | null;
  at: number;
}

export interface TraceTables {
  trace_packs: TracePackRow;
  trace_settings: TraceSettingsRow;
  trace_interactions: TraceInteractionRow;
  trace_results: TraceResultRow;
  trace_suppressions: TraceSuppressionRow;
  trace_consents: TraceConsentRow;
  trace_attempts: TraceAttemptRow;
}

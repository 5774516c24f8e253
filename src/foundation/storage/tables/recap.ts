import type { Environment } from '../../tenancy/index.ts';

interface TenantColumns {
  org_id: string;
  project_id: string;
  environment: Environment;
}

export interface RecapSettingsRow extends TenantColumns {
  config: string;
  crm: string;
  updated_at: number;
}

export interface RecapCallRow extends TenantColumns {
  id: string;
  source_kind: 'transcript' | 'call' | 'job';
  source_id: string;
  agent_id: string | null;
  agent_version: string | null;
  external_id: string | null;
  outcome: string;
  /** It grows with each correction; results of an older version are discarded. */
  version: number;
  document: string;
  conversation: string;
  created_at: number;
  updated_at: number;
}

export interface RecapScorecardRow extends TenantColumns {
  id: string;
  name: string;
  criteria: string;
  created_at: number;
}

export interface RecapScoreRow extends TenantColumns {
  recap_id: string;
  scorecard_id: string;
  criterion: string;
  value: number | null;
  agent_id: string | null;
  agent_version: string | null;
  day: string;
}

export interface RecapTables {
  recap_settings: RecapSettingsRow;
  recap_calls: RecapCallRow;
  recap_scorecards: RecapScorecardRow;
  recap_scores: RecapScoreRow;
}

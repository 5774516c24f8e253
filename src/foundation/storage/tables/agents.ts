import type { Environment } from '../../tenancy/index.ts';

export interface AgentRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  latest_version: number;
  published_version: number | null;
  /** The column is JSON with percentages by version; null sends all calls to the published one. */
  traffic: string | null;
  required_suite: string | null;
  /**
   * The column is JSON `{kind, id}` of the key or person, for the audit alone. It is null for the operator, the
   * product and older rows.
   */
  created_by: string | null;
  created_at: number;
  updated_at: number;
}

export interface AgentVersionRow {
  agent_id: string;
  version: number;
  org_id: string;
  project_id: string;
  environment: Environment;
  fields: string;
  created_at: number;
}

export interface AgentToolRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  name: string;
  spec: string;
  headers: string | null;
  created_at: number;
  updated_at: number;
}

export interface AgentMemoryRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  agent_id: string;
  external_id: string;
  fact: string;
  created_at: number;
}

export interface AgentTestRunRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  agent_id: string;
  version: number;
  suite: string;
  scenarios: number;
  failed: number;
  created_at: number;
}

export interface AgentsTables {
  agents: AgentRow;
  agent_versions: AgentVersionRow;
  agent_tools: AgentToolRow;
  agent_memories: AgentMemoryRow;
  agent_test_runs: AgentTestRunRow;
}

import type { Environment } from '../../tenancy/index.ts';

/** Rows of the tables that the agents module owns. */

export interface AgentRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  latest_version: number;
  /** An agent that was only drafted has null. */
  published_version: number | null;
  /** JSON, percent by version; null: all calls go to the published one. */
  traffic: string | null;
  /** The suite that a version must have passed before calls get it; null: none. */
  required_suite: string | null;
  /** JSON `{kind, id}` of the key or person, for the audit alone; null: nobody, or a row of before. */
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
  /** JSON. */
  fields: string;
  created_at: number;
}

export interface AgentToolRow {
  id: string;
  org_id: string;
  project_id: string;
  environment: Environment;
  name: string;
  /** JSON, without its secret headers. */
  spec: string;
  /** Sealed JSON, or null where it has none. */
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

/** One time that a suite was played against a version. */
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

import type { Agent, AgentVersion } from '../../../conversation/agents/index.ts';

export const showAgent = (agent: Agent) => ({
  id: agent.id,
  object: 'agent' as const,
  ...agent.fields,
  version: agent.version,
  latest_version: agent.latestVersion,
  published_version: agent.publishedVersion,
  traffic: agent.traffic,
  required_suite: agent.requiredSuite,
  created_by: agent.createdBy,
  created_at: agent.createdAt,
  updated_at: agent.updatedAt,
});

export const showVersion = (agent: Agent, { version, fields, createdAt }: AgentVersion) => ({
  object: 'agent.version' as const,
  version,
  published: version === agent.publishedVersion,
  percent: percentOf(agent, version),
  ...fields,
  created_at: createdAt,
});

const percentOf = ({ traffic, publishedVersion }: Agent, version: number): number =>
  traffic === null ? (version === publishedVersion ? 100 : 0) : (traffic[String(version)] ?? 0);

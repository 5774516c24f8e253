export interface ApiTool {
  readonly name: string;
  /** The value has the form `POST /v1/agents`; the tool uses the description of that operation. */
  readonly operation: string;
  readonly body?: string;
  readonly hint?: string;
}

export const API_TOOLS: readonly ApiTool[] = [
  { name: 'list_agents', operation: 'GET /v1/agents' },
  { name: 'get_agent', operation: 'GET /v1/agents/{agent_id}' },
  { name: 'create_agent', operation: 'POST /v1/agents', body: 'agent' },
  {
    name: 'update_agent',
    operation: 'PATCH /v1/agents/{agent_id}',
    body: 'changes',
    hint: 'With draft=true, calls do not use the change until publish_agent.',
  },
  { name: 'list_agent_versions', operation: 'GET /v1/agents/{agent_id}/versions' },
  { name: 'publish_agent', operation: 'POST /v1/agents/{agent_id}/publish', body: 'publish' },
  { name: 'get_agent_prompt', operation: 'GET /v1/agents/{agent_id}/prompt' },
  { name: 'list_agent_tools', operation: 'GET /v1/tools' },
  { name: 'create_agent_tool', operation: 'POST /v1/tools', body: 'tool' },
  { name: 'list_voices', operation: 'GET /v1/voices' },
  { name: 'list_calls', operation: 'GET /v1/omni/calls' },
  { name: 'get_call', operation: 'GET /v1/omni/calls/{call_id}' },
  { name: 'get_call_transcript', operation: 'GET /v1/omni/calls/{call_id}/transcript' },
  { name: 'list_test_runs', operation: 'GET /v1/agents/{agent_id}/test-runs' },
  {
    name: 'tell_test_run',
    operation: 'POST /v1/agents/{agent_id}/test-runs',
    body: 'run',
    hint: 'For agents that require a passed test suite before a version can be published.',
  },
  { name: 'list_violations', operation: 'GET /v1/trace/violations' },
];

import type { Cases } from '../case.ts';
import type { Tenant, World } from '../world.ts';

async function made(world: World, { key }: Tenant, path: string, body: unknown): Promise<string> {
  const answer = await world.send(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return String(answer.json?.id);
}

export const agent = async (world: World, tenant: Tenant) => ({
  agent_id: await made(world, tenant, '/v1/agents', { name: 'Maya', persona: 'You are Maya.' }),
});
const tool = async (world: World, tenant: Tenant) => ({
  tool_id: await made(world, tenant, '/v1/tools', { name: 'look_up', kind: 'client' }),
});

export const agentCases: Cases = {
  'GET /v1/agents': { good: () => ({}) },
  'POST /v1/agents': { good: () => ({ json: { name: 'Maya', greeting: 'Hello.', language: null } }) },
  'GET /v1/agents/{agent_id}': { good: async (...at) => ({ path: await agent(...at) }) },
  'PUT /v1/agents/{agent_id}': {
    good: async (...at) => ({ path: await agent(...at), json: { name: 'Joe' } }),
  },
  'PATCH /v1/agents/{agent_id}': {
    good: async (...at) => ({ path: await agent(...at), json: { idle: { times: 1 } } }),
  },
  'DELETE /v1/agents/{agent_id}': { good: async (...at) => ({ path: await agent(...at) }) },
  'GET /v1/agents/{agent_id}/versions': { good: async (...at) => ({ path: await agent(...at) }) },
  'GET /v1/agents/{agent_id}/prompt': { good: async (...at) => ({ path: await agent(...at) }) },
  'GET /v1/flows/schema': { good: () => ({}) },
  'POST /v1/agents/{agent_id}/flow/check': {
    good: async (...at) => ({
      path: await agent(...at),
      json: { flow: { start: 'bye', nodes: [{ id: 'bye', type: 'end', say: 'Goodbye.' }], edges: [] } },
    }),
  },
  'POST /v1/agents/{agent_id}/flow/simulate': {
    good: async (...at) => ({
      path: await agent(...at),
      json: {
        flow: { start: 'bye', nodes: [{ id: 'bye', type: 'end', say: 'Goodbye.' }], edges: [] },
        events: [],
      },
    }),
  },
  'POST /v1/agents/{agent_id}/publish': {
    good: async (...at) => ({ path: await agent(...at), json: { version: 1 } }),
  },
  'PUT /v1/agents/{agent_id}/traffic': {
    good: async (...at) => ({ path: await agent(...at), json: { '1': 100 } }),
  },
  'PUT /v1/agents/{agent_id}/required-suite': {
    good: async (...at) => ({ path: await agent(...at), json: { suite: 'Order status' } }),
  },
  'POST /v1/agents/{agent_id}/test-runs': {
    good: async (...at) => ({
      path: await agent(...at),
      json: {
        version: 1,
        suite: 'Order status',
        scenarios: [{ name: 'asks', passed: false, call_ids: [] }],
      },
    }),
  },
  'GET /v1/agents/{agent_id}/test-runs': { good: async (...at) => ({ path: await agent(...at) }) },
  'PUT /v1/agents/{agent_id}/knowledgebases': {
    good: async (...at) => ({ path: await agent(...at), json: { knowledge_base_ids: [] } }),
  },
  'PUT /v1/agents/{agent_id}/tools': {
    good: async (...at) => ({ path: await agent(...at), json: { tool_ids: [] } }),
  },
  'GET /v1/tools': { good: () => ({}) },
  'POST /v1/tools': { good: () => ({ json: { name: 'look_up', kind: 'client', confirm: true } }) },
  'GET /v1/tools/{tool_id}': { good: async (...at) => ({ path: await tool(...at) }) },
  'PUT /v1/tools/{tool_id}': {
    good: async (...at) => ({ path: await tool(...at), json: { name: 'look', kind: 'client' } }),
  },
  'PATCH /v1/tools/{tool_id}': {
    good: async (...at) => ({ path: await tool(...at), json: { timeout_ms: 900 } }),
  },
  'DELETE /v1/tools/{tool_id}': { good: async (...at) => ({ path: await tool(...at) }) },
};

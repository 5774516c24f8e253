import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { visiting } from './visit.ts';
import { auth, type SoakTarget, type SoakVisit } from './visits.ts';

async function connected(target: SoakTarget): Promise<Client> {
  const client = new Client({ name: 'a coding assistant', version: '1' });
  const requestInit = { headers: { ...auth(target), connection: 'close' } };
  const transport = new StreamableHTTPClientTransport(new URL(`${target.url}/mcp`), { requestInit });
  await client.connect(transport as never);
  return client;
}

async function use(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [{ text }] = content as [{ text: string }];
  return { isError: isError === true, json: JSON.parse(text) as Record<string, unknown> };
}

const assistant = visiting(async (visit, target) => {
  const client = await connected(target);
  try {
    const { tools } = await client.listTools();
    if (!tools.some(({ name }) => name === 'create_agent')) visit.fail('no tool makes an agent');
    const made = await use(client, 'create_agent', { agent: { name: 'By an assistant' } });
    const { id: agent_id } = made.json;
    const changes = { greeting: 'Good evening.' };
    const changed = await use(client, 'update_agent', { agent_id, changes });
    const calls = await use(client, 'list_calls', { limit: 5 });
    for (const { isError, json } of [made, changed, calls]) if (isError) visit.fail(JSON.stringify(json));
    await visit.ask('DELETE', `/v1/agents/${agent_id}`);
  } finally {
    await client.close();
  }
});

const wrong = visiting(async (visit, target) => {
  const client = await connected(target);
  try {
    const { isError } = await use(client, 'get_agent', { agent_id: '../omni/calls' });
    if (!isError) visit.fail('a path was taken for an agent');
    visit.notify(404);
  } finally {
    await client.close();
  }
});

export const ASSISTANTS: Record<string, SoakVisit> = {
  mcp: assistant,
  'mcp, hostile': wrong,
  'mcp, no message': async (target) => {
    const headers = { ...auth(target), 'content-type': 'application/json', connection: 'close' };
    const response = await fetch(`${target.url}/mcp`, { method: 'POST', headers, body: '{"jsonrpc":"1.0"' });
    await response.arrayBuffer();
    return response.status;
  },
};

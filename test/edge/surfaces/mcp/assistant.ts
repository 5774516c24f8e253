import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { World } from '../../../contract/world.ts';
import { ORDERS, ScriptedEndpoint } from '../../../conversation/brains/endpoint/scripted-endpoint.ts';
import { compileProgram } from '../../../running-server.ts';

const clients: Client[] = [];

export async function leaveAll(): Promise<void> {
  for (const client of clients.splice(0)) await client.close();
}

export async function worldWithOrders(more: Readonly<Record<string, string>> = {}) {
  await compileProgram();
  const model = await ScriptedEndpoint.start(ORDERS);
  const settings = {
    TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
    TRUNKLINE_BRAIN_URL: model.url,
    TRUNKLINE_BRAIN_MODEL: 'scripted',
    ...more,
  };
  return { model, world: await World.open({ settings }) };
}

export async function assistantOf(url: string, key: string): Promise<Client> {
  const client = new Client({ name: 'a coding assistant', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }) as never);
  clients.push(client);
  return client;
}

export async function use(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const { text } = (content as { text: string }[])[0] as { text: string };
  return { isError: isError === true, json: JSON.parse(text) as Record<string, unknown> };
}

export const SUITE = `name: Hours
agent: { name: Hours, greeting: 'Acme Dental, this is Maya.', voice_id: joe_en_us }
tools:
  look_up_order: { result: { day: Friday } }
scenarios:
  - name: is told
    steps:
      - say: Hello, where is my order number four seven one one?
        expect: { says: friday, meaning: { text: The order is sent on Friday., at_least: 0.5 }, tool: { name: look_up_order } }
  - name: is told wrongly
    steps:
      - { say: 'Hello, where is my order number four seven one one?', expect: { says: monday, meaning: The cat sleeps. } }
`;

export const LONG = SUITE.replace(/- say: Hello.*\n.*/, '- silence_ms: 55000');

/** `/mcp` with the protocol's own client, on the whole product. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';

let world: World;
const clients: Client[] = [];
beforeAll(async () => {
  world = await World.open();
}, 120_000);
afterAll(async () => {
  for (const client of clients) await client.close();
  await world?.stop();
});

async function clientWith(key: string): Promise<Client> {
  const client = new Client({ name: 'a coding assistant', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), { requestInit }) as never,
  );
  clients.push(client);
  return client;
}

async function use(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const { text } = (content as { text: string }[])[0] as { text: string };
  return { isError: isError === true, json: JSON.parse(text) as Record<string, unknown> };
}

it('lets an assistant make an agent, change it, publish it and read its prompt', async () => {
  const client = await clientWith(world.ours.key);
  expect(client.getServerVersion()).toMatchObject({ name: 'trunkline' });
  const made = await use(client, 'create_agent', {
    agent: { name: 'Front desk', persona: 'You are Maya of Acme Dental.' },
  });
  expect(made).toMatchObject({ isError: false, json: { object: 'agent', version: 1 } });
  const agent_id = made.json.id as string;
  const draft = { agent_id, draft: true, changes: { greeting: 'Good morning.' } };
  expect((await use(client, 'update_agent', draft)).json).toMatchObject({
    latest_version: 2,
    published_version: 1,
  });
  const published = await use(client, 'publish_agent', { agent_id, publish: { version: 2 } });
  expect(published.json).toMatchObject({ published_version: 2, greeting: 'Good morning.' });
  expect((await use(client, 'get_agent_prompt', { agent_id })).json.system).toContain('Maya');
  expect((await use(client, 'list_calls', { limit: 5 })).json).toMatchObject({ object: 'list', data: [] });
});

it('tells what the API says to a wrong argument, and never shows another organization’s', async () => {
  const client = await clientWith(world.ours.key);
  const wrong = await use(client, 'create_agent', { agent: { name: 'X', voice_id: 7 } });
  expect(wrong).toMatchObject({
    isError: true,
    json: { error: { code: 'invalid_request', param: 'voice_id' } },
  });
  const made = await use(client, 'create_agent', { agent: { name: 'Ours' } });
  const theirs = await clientWith(world.theirs.key);
  const asked = await use(theirs, 'get_agent', { agent_id: made.json.id });
  expect(asked).toMatchObject({ isError: true, json: { error: { code: 'not_found' } } });
  const hostile = await use(client, 'get_agent', { agent_id: '../omni/calls' });
  expect(hostile).toMatchObject({ isError: true, json: { error: { code: 'not_found' } } });
});

it('lists only what the key’s scopes open, and refuses the rest', async () => {
  const answer = await world.send('/v1/keys', {
    method: 'POST',
    headers: { authorization: `Bearer ${world.ours.session}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'reader', environment: 'sandbox', scopes: ['omni:read'] }),
  });
  const client = await clientWith(String(answer.json?.api_key ?? answer.json?.key));
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('list_calls');
  expect(names).not.toContain('create_agent');
  const refused = await use(client, 'create_agent', { agent: { name: 'X' } });
  expect(refused).toMatchObject({ isError: true, json: { error: { code: 'forbidden' } } });
});

it('is closed without a key, and to the methods that a server without sessions has not', async () => {
  await expect(clientWith('svc_test_nonsense')).rejects.toThrow();
  expect((await world.send('/mcp')).status).toBe(405);
});

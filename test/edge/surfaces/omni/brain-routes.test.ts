// @requirement Brains: The operator's rules choose the language model by plan, language and device, and an agent names what its plan allows.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStorage } from '../../../../src/foundation/storage/index.ts';
import { OPERATOR_TOKEN, World } from '../../../contract/world.ts';
import { agentSaid, press } from './fault-helpers.ts';
import { absent, Client } from './server.ts';

const asked: string[] = [];
let endpoint: Server;
let world: World;

beforeAll(async () => {
  endpoint = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { model } = JSON.parse(Buffer.concat(parts).toString()) as { model: string };
      asked.push(model);
      const chunk = { choices: [{ delta: { content: `This is ${model}.` }, finish_reason: null }] };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    });
  });
  endpoint.listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1`;
  const brains = ['default', 'big'].map((name) => ({ name, url, model: `the ${name} one` }));
  world = await World.open({ settings: { TRUNKLINE_BRAINS: JSON.stringify(brains) } });
}, 240_000);
afterAll(async () => {
  endpoint.closeAllConnections();
  endpoint.close();
  await world.stop();
});

const send = (method: string, path: string, token: string, body?: object) =>
  world.send(path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function answered(agentId: string): Promise<string> {
  const client = await new Client(
    world.url,
    `format=pcm16&rate=8000&agent_id=${agentId}`,
    world.ours.key,
  ).opened();
  await client.configure();
  await client.silence(0.5);
  press(client);
  await client.silenceUntil(() => agentSaid(client) !== '');
  client.control({ type: 'end' });
  await client.closed();
  return agentSaid(client);
}

describe.skipIf(absent !== '')('the language model of a call', { timeout: 120_000 }, () => {
  it('is the one of the rules for the plan, or the one that the agent names where its plan allows it', async () => {
    const made = await send('POST', '/v1/agents', world.ours.key, {
      name: 'A big one',
      brain: 'big',
      persona: 'You answer.',
    });
    const id = String(made.json?.id);
    const storage = await openStorage({ dataDir: world.data });
    const { plan } = await storage.db
      .selectFrom('organizations')
      .select('plan')
      .where('id', '=', world.ours.orgId)
      .executeTakeFirstOrThrow();
    await storage.close();
    const rules = (brain: object[]) => send('PUT', '/v1/operator/routes', OPERATOR_TOKEN, { brain });
    expect(await answered(id), 'no rules').toContain('the big one');
    expect((await rules([{ plan: 'another', use: ['big'] }])).status).toBe(200);
    expect(await answered(id), 'another plan alone may').toContain('the default one');
    expect((await rules([{ plan, use: ['default', 'big'] }])).status).toBe(200);
    expect(await answered(id), 'this plan may').toContain('the big one');
  });
});

// @requirement Agents: Tools are client tools, signed webhooks or tools of MCP servers.
import { describe, expect, it } from 'vitest';
import { Sealer } from '../../../../src/foundation/access/index.ts';
import { newId } from '../../../../src/foundation/platform/ids.ts';
import { UrlGate } from '../../../../src/foundation/platform/url-gate/index.ts';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { Receiver } from '../../../foundation/webhooks/receiver.ts';
import { openAgents, paramOf } from './server.ts';

const HOOK = { name: 'price', kind: 'webhook', url: 'https://shop.example.com/price' };

describe('tools', () => {
  it('are kept, changed and removed; secret headers are never shown, and lie sealed', async () => {
    const { send, storage } = await openAgents();
    const made = await send('POST', '/v1/tools', { ...HOOK, headers: { 'x-shop-key': 'the-secret' } });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      object: 'tool',
      timeout_ms: 5000,
      confirm: false,
      headers: { 'x-shop-key': '[secret]' },
    });
    const path = `/v1/tools/${made.body.id}`;
    const changed = await send('PATCH', path, { timeout_ms: 900, confirm: true });
    expect(changed.body).toMatchObject({
      timeout_ms: 900,
      confirm: true,
      headers: { 'x-shop-key': '[secret]' },
    });
    const rows = await acrossTenants(storage.db).selectFrom('agent_tools').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain('the-secret');
    expect((await send('PUT', path, { name: 'price', kind: 'client' })).body).toMatchObject({
      kind: 'client',
      headers: {},
      url: null,
      timeout_ms: 5000,
    });
    expect((await send('GET', '/v1/tools')).body.data).toHaveLength(1);
    expect((await send('DELETE', path)).body).toMatchObject({ deleted: true });
    for (const id of [made.body.id, newId('tool'), 'nonsense'])
      expect((await send('GET', `/v1/tools/${id}`)).status).toBe(404);
  });

  it.each([
    [{ ...HOOK, name: 'two words' }, 'name'],
    [{ ...HOOK, name: 'end_call' }, 'name'],
    [{ ...HOOK, kind: 'shell' }, 'kind'],
    [{ name: 'a', kind: 'webhook' }, 'url'],
    [{ ...HOOK, url: 'https://169.254.169.254/latest' }, 'url'],
    [{ ...HOOK, url: 'https://crm.internal/' }, 'url'],
    [{ name: 'a', kind: 'client', url: 'https://example.com/' }, 'url'],
    [{ ...HOOK, allow: ['x'] }, 'allow'],
    [{ ...HOOK, headers: { Host: 'elsewhere' } }, 'headers'],
    [{ ...HOOK, headers: { 'x-svc-signature': 'forged' } }, 'headers'],
    [{ ...HOOK, parameters: { type: 'string' } }, 'parameters'],
    [{ ...HOOK, timeout_ms: 1 }, 'timeout_ms'],
  ])('refuses a field that is wrong (%#)', async (body, param) => {
    const { send } = await openAgents();
    const answer = await send('POST', '/v1/tools', body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(400);
    expect(String(paramOf(answer.body))).toContain(param);
  });

  it('reach a private host only where the operator lists it', async () => {
    const receiver = new Receiver();
    const url = await receiver.open();
    const { host } = new URL(url);
    const ask = async (privateHosts: string[]) => {
      const gate = new UrlGate({ allowLoopback: false, privateHosts: new Set(privateHosts) });
      try {
        const response = await gate.fetch(url, { maxBytes: 10, timeoutMs: 2_000 });
        response.body.resume();
        return response.status;
      } catch (error) {
        return (error as { reason: string }).reason;
      }
    };
    expect(await ask([])).toBe('address');
    expect(await ask(['127.0.0.1:1'])).toBe('address');
    expect(await ask([host])).toBe(204);
    expect(await ask(['127.0.0.1'])).toBe(204);
    await receiver.close();
  });

  it('are made once for one Idempotency-Key', async () => {
    const { send } = await openAgents();
    const key = { 'idempotency-key': 'once' };
    const first = await send('POST', '/v1/tools', HOOK, key);
    expect((await send('POST', '/v1/tools', HOOK, key)).body).toEqual(first.body);
    expect((await send('GET', '/v1/tools')).body.data).toHaveLength(1);
  });
});

describe('what is sealed', () => {
  it('opens for its own place and secret alone', () => {
    const sealer = new Sealer(Buffer.alloc(32, 1), 'a');
    const sealed = sealer.seal('word', 'tool_1');
    expect(sealer.open(sealed, 'tool_1')).toBe('word');
    expect(sealer.seal('word', 'tool_1')).not.toBe(sealed);
    expect(() => sealer.open(sealed, 'tool_2')).toThrow();
    expect(() => new Sealer(Buffer.alloc(32, 1), 'b').open(sealed, 'tool_1')).toThrow();
    expect(() => new Sealer(Buffer.alloc(32, 2), 'a').open(sealed, 'tool_1')).toThrow();
  });
});

describe('an agent and what it names', () => {
  it('goes on, and can be changed, when a tool or a base is gone', async () => {
    const gone: string[] = [];
    const { send } = await openAgents(undefined, {
      unknownKnowledgeBase: async (_scope, ids) => ids.find((id) => gone.includes(id)),
    });
    const tool = (await send('POST', '/v1/tools', HOOK)).body.id;
    const base = newId('kb');
    const named = { tool_ids: [tool], knowledge_base_ids: [base] };
    const { id } = (await send('POST', '/v1/agents', { name: 'A', ...named })).body;
    await send('DELETE', `/v1/tools/${tool}`);
    gone.push(base);
    const patched = await send('PATCH', `/v1/agents/${id}`, { greeting: 'Hello.' });
    expect(patched).toMatchObject({ status: 200, body: { greeting: 'Hello.', ...named } });
    expect((await send('PUT', `/v1/agents/${id}`, { name: 'A', ...named })).status).toBe(200);
    const other = await send('POST', '/v1/agents', { name: 'B', ...named });
    expect([other.status, paramOf(other.body)]).toEqual([400, 'tool_ids']);
    const added = await send('PATCH', `/v1/agents/${id}`, { tool_ids: [tool, newId('tool')] });
    expect([added.status, paramOf(added.body)]).toEqual([400, 'tool_ids']);
  });

  it('has one tool of a name; servers of tools may be named alike', async () => {
    const { send } = await openAgents();
    const make = async (body: object) => (await send('POST', '/v1/tools', body)).body.id;
    const ids = [await make(HOOK), await make({ name: 'price', kind: 'client' })];
    const twice = await send('POST', '/v1/agents', { name: 'A', tool_ids: ids });
    expect([twice.status, paramOf(twice.body)]).toEqual([400, 'tool_ids']);
    expect(JSON.stringify(twice.body)).toContain(`both named price`);
    const server = { name: 'price', kind: 'mcp', url: 'https://shop.example.com/mcp' };
    const mixed = [ids[0], await make(server), await make(server)];
    expect((await send('POST', '/v1/agents', { name: 'A', tool_ids: mixed })).status).toBe(201);
  });
});

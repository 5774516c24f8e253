// @requirement Agents: A call takes its agent by id or by token, and `configure` overrides what the profile allows.
// @requirement Browser calls: A browser token is bound to its origin, agent and overrides, and is spent once.
// @requirement Browser calls: A browser token names its agent and what its `configure` may set.
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { filterConfigurable } from '../../../../src/conversation/calls/configurable-fields.ts';
import type { Principal } from '../../../../src/foundation/access/contract.ts';
import { tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import { omni } from '../../../../src/media/wire/index.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { Client, openOmni } from './server.ts';

const CONFIGURE = { type: 'configure', persona: 'x', meta: { a: 1 }, seed: 1 } as const;

it('leaves of a configure what the token’s maker left to the page', () => {
  expect(filterConfigurable(CONFIGURE, null)).toEqual({ message: CONFIGURE, refused: [] });
  expect(filterConfigurable(CONFIGURE, ['meta'])).toEqual({
    message: { type: 'configure', meta: { a: 1 } },
    refused: ['persona', 'seed'],
  });
  for (const name of omni.CONFIGURABLE) {
    const message = { type: 'configure', [name]: 'x' } as omni.Configuration;
    expect(filterConfigurable(message, []).refused).toEqual([name]);
  }
});

class PageAccess extends OneKeyAccess {
  restored = 0;
  override restore = async () => {
    this.restored += 1;
  };
  override principal(): Principal {
    const browser = { origin: 'https://shop.example', agentId: 'agt_a', configurable: ['meta'] };
    return { ...super.principal(), kind: 'browser_token', browser };
  }
}

it('opens sessions of the token’s agent alone, configured by its maker', async () => {
  const access = new PageAccess();
  const opened = await openOmni({ access });
  const refused = new Client(opened.url, 'format=pcm16&rate=8000&agent_id=agt_b');
  const [, response] = await once(refused.socket, 'unexpected-response');
  expect(response.statusCode).toBe(403);
  refused.socket.on('error', () => {}).terminate();
  expect(access.admitted).toBe(0);
  const left = new Client(opened.url, 'format=pcm16&rate=8000&agent_id=agt_a');
  await left.opened();
  left.socket.close();
  await expect.poll(() => access.restored).toBe(1);
  const client = new Client(opened.url);
  await client.opened();
  client.control(CONFIGURE);
  const configured = await client.event('configured');
  const errors = client.controls.filter(({ event }) => event === 'error');
  expect(errors).toMatchObject([
    { error: { code: 'forbidden', param: 'persona' } },
    { error: { code: 'forbidden', param: 'seed' } },
  ]);
  client.control({ type: 'end' });
  await expect.poll(() => client.closeCode).not.toBeNull();
  const row = await opened.calls.find(tenantScopeOf(access.principal()), String(configured.call_id));
  expect(row).toMatchObject({ session_label: 'agt_a', meta: '{"a":1}' });
  expect(access.restored).toBe(1);
});

import { createHmac } from 'node:crypto';
import { type Case, type Cases, plain } from '../case.ts';
import type { Tenant, World } from '../world.ts';
import { number } from './telephony.ts';

const made = async (world: World, tenant: Tenant, path: string, body: object): Promise<string> => {
  const { json } = await world.send(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return String(json?.id);
};

const DESTINATION = { url: 'https://example.com/hook', events: ['recap.call.completed'] };
const HOOK = { target_url: 'https://example.com/hook', event: 'recap.call.completed' };

/** Each destination is removed before the next, so that no case fills the project. */
const destination = (more: object = {}): Case => ({
  good: async (world, tenant) => {
    await clear(world, tenant, '/v1/integrations/destinations');
    return { path: { id: await made(world, tenant, '/v1/integrations/destinations', DESTINATION) }, ...more };
  },
});

async function clear(world: World, { key }: Tenant, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const { json } = await world.send(`${path}?limit=100`, { headers });
  for (const { id } of (json?.data ?? []) as { id: string }[])
    await world.send(`${path}/${id}`, { method: 'DELETE', headers });
}

const message = async (world: World, tenant: Tenant) => ({
  from: String((await number(world, tenant)).phone_number),
  to: '+15005550007',
  body: 'Your table is booked.',
});

const taken = async (world: World, tenant: Tenant) => ({
  number: String((await number(world, tenant)).phone_number),
  person: '+15005550007',
});

const PROVIDER_KEY = {
  purpose: 'voice',
  name: 'contract',
  kind: 'openai',
  key: 'sk-of-the-contract',
  url: 'https://example.com/v1',
  voice: 'alloy',
};

export const integrationCases: Cases = {
  'GET /v1/provider-keys': plain,
  'POST /v1/provider-keys': { good: () => ({ json: PROVIDER_KEY }) },
  'DELETE /v1/provider-keys/{id}': {
    good: async (world, tenant) => ({
      path: { id: await made(world, tenant, '/v1/provider-keys', PROVIDER_KEY) },
    }),
  },
  'GET /v1/integrations/events': plain,
  'POST /v1/integrations/destinations': {
    good: async (world, tenant) => {
      await clear(world, tenant, '/v1/integrations/destinations');
      return { json: DESTINATION };
    },
  },
  'GET /v1/integrations/destinations': plain,
  'GET /v1/integrations/destinations/{id}': destination(),
  'PATCH /v1/integrations/destinations/{id}': destination({ json: { status: 'paused' } }),
  'DELETE /v1/integrations/destinations/{id}': destination(),
  'POST /v1/integrations/destinations/{id}/test': destination({ json: {} }),
  'POST /v1/integrations/zapier/hooks': {
    good: async (world, tenant) => {
      await clear(world, tenant, '/v1/integrations/zapier/hooks');
      return { json: HOOK };
    },
  },
  'GET /v1/integrations/zapier/hooks': plain,
  'DELETE /v1/integrations/zapier/hooks/{id}': {
    good: async (world, tenant) => ({
      path: { id: await made(world, tenant, '/v1/integrations/zapier/hooks', HOOK) },
    }),
  },
  'POST /v1/integrations/calls/{provider}/token': {
    good: () => ({ path: { provider: 'generic' } }),
    shared: true,
  },
  'GET /v1/integrations/calls': plain,
  'POST /public/integrations/calls/{provider}/events': {
    good: async (world, tenant) => {
      const { json } = await world.send('/v1/integrations/calls/aircall/token', {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.key}` },
      });
      const data = { id: 17, recording: null };
      const event = { event: 'call.ended', timestamp: Date.now(), token: String(json?.token), data };
      return { path: { provider: 'aircall' }, json: event };
    },
    shared: true,
  },
  'PUT /v1/integrations/hosting/{hosting_partner}/installation': {
    good: () => ({ path: { hosting_partner: 'somewhere' }, json: { configuration_id: 'icfg_1' } }),
    shared: true,
  },
  'POST /auth/{hosting_partner}/webhook': {
    good: () => {
      const body = JSON.stringify({ type: 'deployment.created' });
      const signature = createHmac('sha1', 'the secret of somewhere').update(body).digest('hex');
      const headers = { 'content-type': 'application/json', 'x-somewhere-signature': signature };
      return { path: { hosting_partner: 'somewhere' }, headers, json: { type: 'deployment.created' } };
    },
    shared: true,
  },
  'GET /v1/messages': plain,
  'GET /v1/messages/{id}': {
    good: async (world, tenant) => ({
      path: { id: await made(world, tenant, '/v1/messages', await message(world, tenant)) },
    }),
  },
  'GET /v1/messages/hand-overs': plain,
  'POST /v1/messages/hand-overs': {
    good: async (world, tenant) => ({ json: await taken(world, tenant) }),
  },
  'DELETE /v1/messages/hand-overs/{id}': {
    good: async (world, tenant) => ({
      path: { id: await made(world, tenant, '/v1/messages/hand-overs', await taken(world, tenant)) },
    }),
  },
  'POST /v1/messages': { good: async (world, tenant) => ({ json: await message(world, tenant) }) },
  'GET /v1/integrations/zapier/samples/{event}': {
    good: () => ({ path: { event: 'recap.call.completed' } }),
    shared: true,
  },
};

import { type Cases, plain } from '../case.ts';
import type { Tenant, World } from '../world.ts';

const ORIGIN = 'https://shop.example';
let made = 0;

export const asUser = (tenant: Tenant) => ({ authorization: `Bearer ${tenant.session}` });

async function newKey(world: World, tenant: Tenant): Promise<string> {
  const answer = await world.send('/v1/keys', {
    method: 'POST',
    headers: { ...asUser(tenant), 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'made by the contract',
      environment: 'sandbox',
      scopes: ['hear:transcribe'],
    }),
  });
  return String(answer.json?.id);
}

/** A session of its own, since the operation ends or changes it. */
async function ownSession(world: World, tenant: Tenant): Promise<Record<string, string>> {
  const answer = await world.send('/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: tenant.email, password: tenant.password }),
  });
  return { authorization: `Bearer ${String(answer.json?.token)}` };
}

export const accountCases: Cases = {
  'POST /auth/signup': {
    good: () => ({ json: { email: `contract-${++made}@example.com`, password: 'long enough' } }),
  },
  'POST /auth/login': {
    good: (_world, tenant) => ({ json: { email: tenant.email, password: tenant.password } }),
  },
  'POST /auth/logout': { good: async (world, tenant) => ({ headers: await ownSession(world, tenant) }) },
  'POST /auth/refresh': {
    good: async (world, tenant) => ({ headers: await ownSession(world, tenant) }),
  },
  'GET /auth/session': plain,
  'POST /v1/sandbox/keys': plain,
  'GET /v1/me': plain,
  'GET /v1/keys': plain,
  'POST /v1/keys': {
    good: () => ({
      json: { name: 'made by the contract', environment: 'sandbox', scopes: ['hear:transcribe'] },
    }),
  },
  'POST /v1/keys/{id}/rotate': {
    good: async (world, tenant) => ({ path: { id: await newKey(world, tenant) } }),
  },
  'POST /v1/keys/{id}/revoke': {
    good: async (world, tenant) => ({ path: { id: await newKey(world, tenant) } }),
  },
  'PATCH /v1/keys/{id}': {
    good: async (world, tenant) => ({
      path: { id: await newKey(world, tenant) },
      json: { budget_micros: 1_000_000 },
    }),
  },
  'GET /v1/billing/usage': plain,
  'GET /v1/billing/invoices': plain,
  'POST /v1/billing/credits': {
    good: (_world, tenant) => ({ json: { org_id: tenant.orgId, amount_micros: 1 } }),
  },
  'GET /v1/omni/origins': plain,
  'PUT /v1/omni/origins': { good: () => ({ json: { origins: [ORIGIN] } }) },
  'POST /v1/omni/sessions': {
    good: async (world, tenant) => {
      await world.send('/v1/omni/origins', {
        method: 'PUT',
        headers: { ...asUser(tenant), 'content-type': 'application/json' },
        body: JSON.stringify({ origins: [ORIGIN] }),
      });
      return { json: { origin: ORIGIN } };
    },
  },
};

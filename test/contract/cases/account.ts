import { type Case, type Cases, plain } from '../case.ts';
import type { Tenant, World } from '../world.ts';

const ORIGIN = 'https://shop.example';
let made = 0;
const MAIL = 'the link is in a mail: test/edge/surfaces/account/mail reads one';

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

async function ownSession(world: World, tenant: Tenant): Promise<Record<string, string>> {
  const answer = await world.send('/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: tenant.email, password: tenant.password }),
  });
  return { authorization: `Bearer ${String(answer.json?.token)}` };
}

async function invite(world: World, tenant: Tenant) {
  const answer = await world.send('/v1/members/invitations', {
    method: 'POST',
    headers: { ...asUser(tenant), 'content-type': 'application/json' },
    body: JSON.stringify({ email: `invited-${++made}@example.com`, role: 'analyst' }),
  });
  return answer.json;
}

const invitation = async (world: World, tenant: Tenant) => ({
  path: {
    token: String((await invite(world, tenant))?.url)
      .split('/')
      .at(-1) as string,
  },
});

async function newMember(world: World, tenant: Tenant): Promise<string> {
  const { path } = await invitation(world, tenant);
  const answer = await world.send(`/auth/invitations/${path.token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: 'long enough' }),
  });
  return (answer.json as { user: { id: string } }).user.id;
}

const newProject = async (world: World, tenant: Tenant): Promise<string> => {
  const { json } = await world.send('/v1/projects', {
    method: 'POST',
    headers: { ...asUser(tenant), 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'made by the contract' }),
  });
  return String(json?.id);
};

async function ownAccount(world: World): Promise<Record<string, string>> {
  const account = { email: `alone-${++made}@example.com`, password: 'long enough' };
  const post = (path: string) =>
    world.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    });
  await post('/auth/signup');
  const { json } = await post('/auth/login');
  return { authorization: `Bearer ${String(json?.token)}` };
}

async function memberSession(world: World, tenant: Tenant): Promise<Record<string, string>> {
  const { path } = await invitation(world, tenant);
  const { json } = await world.send(`/auth/invitations/${path.token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: 'long enough' }),
  });
  return { authorization: `Bearer ${String(json?.token)}` };
}

const entitlement: Case = {
  good: (_world, tenant) => ({ path: { id: tenant.orgId, name: 'telephony' } }),
  shared: true,
};

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
  'POST /auth/session/key': { good: () => ({ json: { environment: 'sandbox' } }) },
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
  'GET /auth/oidc/start': {
    ...plain,
    cannotSucceed: 'test/edge/surfaces/account/oidc.test.ts has a provider',
  },
  'GET /auth/oidc/callback': { ...plain, cannotSucceed: 'the same' },
  'GET /auth/sessions': plain,
  'DELETE /auth/sessions/{id}': {
    good: async (world, tenant) => {
      const headers = await ownSession(world, tenant);
      const { json } = await world.send('/auth/sessions', { headers });
      const sessions = json?.data as { id: string; current: boolean }[];
      return { path: { id: String(sessions.find(({ current }) => current)?.id) } };
    },
  },
  'GET /auth/invitations/{token}': { good: invitation, shared: true },
  'POST /auth/invitations/{token}': {
    good: async (world, tenant) => ({
      ...(await invitation(world, tenant)),
      json: { password: 'long enough' },
    }),
    shared: true,
    costly: true,
  },
  'POST /auth/invitations/{token}/accept': {
    good: invitation,
    cannotSucceed: 'the invitation is of another address than that of whoever is signed in',
  },
  'GET /auth/oidc/arrivals/{ticket}': {
    good: () => ({ path: { ticket: 'x'.repeat(43) } }),
    cannotSucceed: 'there is no identity provider',
    shared: true,
  },
  'POST /auth/oidc/arrivals/{ticket}': {
    good: () => ({ path: { ticket: 'x'.repeat(43) }, json: { invitation_id: null } }),
    cannotSucceed: 'there is no identity provider',
    shared: true,
  },
  'GET /v1/members': plain,
  'PATCH /v1/members/{id}': {
    good: async (world, tenant) => ({
      path: { id: await newMember(world, tenant) },
      json: { role: 'developer' },
    }),
    costly: true,
  },
  'DELETE /v1/members/{id}': {
    good: async (world, tenant) => ({ path: { id: await newMember(world, tenant) } }),
  },
  'GET /v1/members/invitations': plain,
  'POST /v1/members/invitations': {
    good: () => ({ json: { email: `invited-${++made}@example.com`, role: 'analyst' } }),
  },
  'DELETE /v1/members/invitations/{id}': {
    good: async (world, tenant) => ({ path: { id: String((await invite(world, tenant))?.id) } }),
  },
  'GET /v1/projects': plain,
  'POST /v1/projects': { good: () => ({ json: { name: 'made by the contract' } }) },
  'PATCH /v1/projects/{id}': {
    good: async (world, tenant) => ({
      path: { id: await newProject(world, tenant) },
      json: { name: 'renamed by the contract' },
    }),
  },
  'DELETE /v1/projects/{id}': {
    good: async (world, tenant) => ({ path: { id: await newProject(world, tenant) } }),
  },
  'PATCH /v1/organization': { good: () => ({ json: { name: 'renamed by the contract' } }) },
  'DELETE /v1/organization': {
    good: async (world) => ({ headers: await ownAccount(world) }),
    costly: true,
  },
  'DELETE /auth/account': {
    good: async (world, tenant) => ({ headers: await memberSession(world, tenant) }),
    costly: true,
  },
  'POST /auth/password/forgot': { good: () => ({ json: { email: 'nobody@example.com' } }) },
  'POST /auth/password/reset': {
    good: () => ({ json: { token: 'x'.repeat(43), password: 'long enough' } }),
    cannotSucceed: MAIL,
  },
  'POST /auth/password/change': {
    good: async (world) => ({
      headers: await ownAccount(world),
      json: { current: 'long enough', password: 'long enough too' },
    }),
    costly: true,
  },
  'GET /v1/audit': plain,
  'GET /v1/audit/export': plain,
  'GET /v1/billing/usage': plain,
  'GET /v1/billing/invoices': plain,
  'GET /v1/plans': plain,
  'PUT /v1/plans/{id}': {
    good: () => ({ path: { id: 'contract' }, json: { rps: 30 } }),
    shared: true,
    lenient: true,
  },
  'GET /auth/email/{token}': {
    good: () => ({ path: { token: 'x'.repeat(43) } }),
    cannotSucceed: MAIL,
    shared: true,
  },
  'POST /auth/email/{token}': {
    good: () => ({ path: { token: 'x'.repeat(43) } }),
    cannotSucceed: MAIL,
    shared: true,
  },
  'GET /auth/recipients/{token}': {
    good: () => ({ path: { token: 'x'.repeat(43) } }),
    cannotSucceed: MAIL,
    shared: true,
  },
  'POST /auth/recipients/{token}': {
    good: () => ({ path: { token: 'x'.repeat(43) } }),
    cannotSucceed: MAIL,
    shared: true,
  },
  'DELETE /auth/recipients/{token}': {
    good: () => ({ path: { token: 'x'.repeat(43) } }),
    cannotSucceed: MAIL,
    shared: true,
  },
  'GET /v1/prices': plain,
  'PUT /v1/prices/{meter}': {
    good: () => ({ path: { meter: 'hear' }, json: { from_month: '2999-01', micros: 1, per: 1 } }),
    shared: true,
  },
  'GET /v1/operator/doctor': plain,
  'GET /v1/operator/licences': plain,
  'GET /v1/operator/nodes': plain,
  'GET /v1/operator/queues': plain,
  'GET /v1/operator/webhooks/failing': plain,
  'GET /v1/organizations': plain,
  'PUT /v1/organizations/{id}/plan': {
    good: (_world, tenant) => ({ path: { id: tenant.orgId }, json: { plan: 'standard' } }),
    shared: true,
  },
  'PUT /v1/organizations/{id}/entitlements/{name}': entitlement,
  'DELETE /v1/organizations/{id}/entitlements/{name}': entitlement,
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

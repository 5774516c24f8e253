import { type Case, type Cases, plain } from '../case.ts';
import type { Tenant, World } from '../world.ts';

const transcript = {
  language: 'en',
  customer_number: '+12125550123',
  turns: [
    { speaker: 'agent', text: 'Hello, I guarantee it.', start_ms: 0, end_ms: 2000 },
    { speaker: 'customer', text: 'My card is 4111 1111 1111 1111.', start_ms: 2500, end_ms: 6000 },
  ],
};
const pack = {
  pack_id: 'house',
  version: '1.0.0',
  title: 'House',
  jurisdiction: 'none',
  legal_status: 'house rules',
  rules: [
    {
      id: 'greeting',
      title: 'Greets',
      kind: 'phrase',
      severity: 'low',
      phrases: { en: ['hello'] },
      source: { title: 'house', date: '2026-11-22' },
      examples: [{ turns: [{ agent: 'Hello.' }], expect: 'hit' }],
    },
  ],
};

async function post(
  world: World,
  tenant: Tenant,
  path: string,
  json: unknown,
  method = 'POST',
): Promise<Record<string, unknown>> {
  const answer = await world.send(path, {
    method,
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(json),
  });
  return answer.json as Record<string, unknown>;
}

const judged = async (world: World, tenant: Tenant) =>
  (await post(world, tenant, '/v1/trace/interactions', { transcript })) as {
    id: string;
    violations: { id: string }[];
    findings: { id: string }[];
  };

const onInteraction: Case = {
  good: async (world, tenant) => ({ path: { id: (await judged(world, tenant)).id } }),
};
const onPack: Case['good'] = async (world, tenant) => ({
  path: { id: String((await post(world, tenant, '/v1/trace/rule-packs', { spec: pack })).id) },
});

/** The number may be called at any hour, whatever other cases recorded of other numbers. */
const allowedNow: Case['good'] = async (world, tenant) => {
  const { id: agent_id } = await post(world, tenant, '/v1/agents', { name: 'Gate' });
  const gate = { require_consent: false, quiet_hours: null, attempts: null };
  await post(world, tenant, '/v1/trace/config', { agent_id, gate }, 'PUT');
  return { json: { to: '+12125550179', agent_id } };
};

const consent = { phone_number: '+12125550177', basis: 'express', obtained_at: 1_700_000_000_000 };

export const traceCases: Cases = {
  'GET /v1/trace/config': plain,
  'PUT /v1/trace/config': { good: () => ({ json: { enabled: false, rule_packs: [{ id: 'PII' }] } }) },
  'GET /v1/trace/rule-packs': plain,
  'POST /v1/trace/rule-packs': { good: () => ({ json: { spec: pack } }) },
  'GET /v1/trace/rule-packs/schema': plain,
  'POST /v1/trace/rule-packs/dry-run': { good: () => ({ json: { spec: pack, last: 1 } }) },
  'GET /v1/trace/rule-packs/{id}': { good: onPack },
  'DELETE /v1/trace/rule-packs/{id}': { good: onPack },
  'PATCH /v1/trace/rule-packs/{id}': {
    good: async (world, tenant) => ({ ...(await onPack(world, tenant)), json: { status: 'retired' } }),
  },
  'POST /v1/trace/interactions': { good: () => ({ json: { transcript } }), costly: true },
  'GET /v1/trace/interactions': plain,
  'GET /v1/trace/interactions/{id}': onInteraction,
  'POST /v1/trace/interactions/{id}/rerun': onInteraction,
  'GET /v1/trace/signing-key': plain,
  'GET /v1/trace/violations': plain,
  'GET /v1/trace/findings': plain,
  'PATCH /v1/trace/violations/{id}': {
    good: async (world, tenant) => ({
      path: { id: (await judged(world, tenant)).violations[0]!.id },
      json: { status: 'dismissed', reason: 'a promise that was kept' },
    }),
  },
  'PATCH /v1/trace/findings/{id}': {
    good: async (world, tenant) => ({
      path: { id: (await judged(world, tenant)).findings[0]!.id },
      json: { status: 'acknowledged' },
    }),
  },
  'GET /v1/trace/exposure': { good: () => ({ query: { by: 'pack,day' } }) },
  'GET /v1/trace/consents': plain,
  'POST /v1/trace/consents/{id}/revoke': {
    good: async (world, tenant) => ({
      path: { id: String((await post(world, tenant, '/v1/trace/consents', consent)).id) },
    }),
  },
  'GET /v1/trace/suppressions': plain,
  'POST /v1/trace/suppressions': {
    good: () => ({ json: { phone_number: '+12125550177', reason: 'asked' } }),
  },
  'DELETE /v1/trace/suppressions': {
    good: async (world, tenant) => {
      await post(world, tenant, '/v1/trace/suppressions', { phone_number: '+12125550178', reason: 'asked' });
      return { query: { phone_number: '+12125550178' } };
    },
  },
  'POST /v1/trace/consents': {
    good: () => ({ json: consent }),
  },
  'POST /v1/trace/gate': { good: allowedNow },
};

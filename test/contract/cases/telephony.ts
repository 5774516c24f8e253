import type { Case, Cases } from '../case.ts';
import type { Tenant, World } from '../world.ts';

async function made(
  world: World,
  { key }: Tenant,
  path: string,
  body: unknown,
): Promise<Record<string, unknown>> {
  const answer = await world.send(path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answer.json ?? {};
}

async function freeNumber(world: World, { key }: Tenant): Promise<string> {
  for (const country of ['US', 'CA']) {
    const answer = await world.send(`/v1/telephony/available-numbers?country=${country}&limit=1`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const [free] = answer.json!.data as { phone_number: string }[];
    if (free !== undefined) return free.phone_number;
  }
  throw new Error('the loopback network has no number left');
}

export const number = async (world: World, tenant: Tenant) => {
  const phone_number = await freeNumber(world, tenant);
  return await made(world, tenant, '/v1/telephony/numbers', { phone_number });
};
const path = async (world: World, tenant: Tenant) => ({
  number_id: String((await number(world, tenant)).id),
});
const agent = async (world: World, tenant: Tenant) =>
  String((await made(world, tenant, '/v1/agents', { name: 'Maya' })).id);

const planned = async (world: World, tenant: Tenant) => ({
  from: String((await number(world, tenant)).phone_number),
  to: '+15005550001',
  agent_id: await agent(world, tenant),
  schedule_at: Date.now() + 7 * 24 * 3600 * 1000,
});
const call = async (world: World, tenant: Tenant) => ({
  call_id: String((await made(world, tenant, '/v1/telephony/calls', await planned(world, tenant))).id),
});
const needsTalk = (json: unknown): Case => ({
  good: async (...at) => ({ path: await call(...at), json }),
  cannotSucceed: 'the call has to be answered: test/edge/surfaces/telephony has such calls',
});

const needsDrop: Case = {
  good: async (...at) => ({ path: await call(...at) }),
  cannotSucceed: 'the call has to leave a message: test/edge/surfaces/telephony has such calls',
};

const plan = async (world: World, tenant: Tenant) => ({
  name: 'Reminders',
  from: String((await number(world, tenant)).phone_number),
  agent_id: await agent(world, tenant),
  targets: [{ to: '+15005550002', variables: { name: 'Alice' } }],
});
const campaign = async (world: World, tenant: Tenant) => ({
  campaign_id: String((await made(world, tenant, '/v1/telephony/campaigns', await plan(world, tenant))).id),
});
const csv = () => {
  const form = new FormData();
  form.set('file', new Blob(['to,name\n+15005550002,Alice\n']), 'targets.csv');
  return form;
};

const needsMessage = (): Case => ({
  good: () => ({ path: { voicemail_id: 'vmail_00000000000000000000' } }),
  cannotSucceed: 'a caller has to leave a message: test/edge/surfaces/telephony has such calls',
});

const unregistered = {
  cannotSucceed:
    'this server registers no telephones: test/edge/surfaces/telephony/registrations.test.ts has one',
};

export const telephonyCases: Cases = {
  'GET /v1/telephony/calls/{call_id}/recording': needsDrop,
  'DELETE /v1/telephony/calls/{call_id}/recording': needsDrop,
  'GET /v1/telephony/voicemails': { good: () => ({}) },
  'GET /v1/telephony/voicemails/{voicemail_id}': needsMessage(),
  'GET /v1/telephony/voicemails/{voicemail_id}/recording': needsMessage(),
  'DELETE /v1/telephony/voicemails/{voicemail_id}': needsMessage(),
  'POST /v1/telephony/campaigns': { good: async (...at) => ({ json: await plan(...at) }) },
  'GET /v1/telephony/campaigns': { good: () => ({}) },
  'GET /v1/telephony/campaigns/{campaign_id}': { good: async (...at) => ({ path: await campaign(...at) }) },
  'PATCH /v1/telephony/campaigns/{campaign_id}': {
    good: async (...at) => ({ path: await campaign(...at), json: { pacing: { concurrent: 2 } } }),
  },
  'DELETE /v1/telephony/campaigns/{campaign_id}': {
    good: async (...at) => ({ path: await campaign(...at) }),
  },
  'GET /v1/telephony/campaigns/{campaign_id}/targets': {
    good: async (...at) => ({ path: await campaign(...at) }),
  },
  'GET /v1/telephony/campaigns/{campaign_id}/export': {
    good: async (...at) => ({ path: await campaign(...at) }),
  },
  'GET /v1/telephony/campaigns/{campaign_id}/report': {
    good: async (...at) => ({ path: await campaign(...at) }),
  },
  'POST /v1/telephony/campaigns/{campaign_id}/targets': {
    good: async (...at) => ({ path: await campaign(...at), form: csv }),
  },
  'POST /v1/telephony/campaigns/{campaign_id}/start': {
    good: async (...at) => ({ path: await campaign(...at) }),
  },
  'POST /v1/telephony/campaigns/{campaign_id}/pause': {
    good: async (world, tenant) => {
      const path = await campaign(world, tenant);
      await made(world, tenant, `/v1/telephony/campaigns/${path.campaign_id}/start`, undefined);
      return { path };
    },
  },
  'GET /v1/telephony/available-numbers': { good: () => ({ query: { country: 'US' } }) },
  'POST /v1/telephony/numbers': {
    good: async (...at) => ({ json: { phone_number: await freeNumber(...at) } }),
  },
  'GET /v1/telephony/numbers': { good: () => ({}) },
  'GET /v1/telephony/numbers/{number_id}': { good: async (...at) => ({ path: await path(...at) }) },
  'PATCH /v1/telephony/numbers/{number_id}': {
    good: async (...at) => ({ path: await path(...at), json: { settings: { daily_spend_micros: 1000 } } }),
  },
  'DELETE /v1/telephony/numbers/{number_id}': { good: async (...at) => ({ path: await path(...at) }) },
  'POST /v1/telephony/calls': { good: async (...at) => ({ json: await planned(...at) }) },
  'GET /v1/telephony/calls': { good: () => ({}) },
  'GET /v1/telephony/calls/{call_id}': { good: async (...at) => ({ path: await call(...at) }) },
  'POST /v1/telephony/calls/{call_id}/hangup': { good: async (...at) => ({ path: await call(...at) }) },
  'POST /v1/telephony/calls/{call_id}/transfer': needsTalk({ to: '+15005550001', kind: 'cold' }),
  'POST /v1/telephony/calls/{call_id}/whisper': needsTalk({ text: 'Offer Tuesday at ten.' }),
  'POST /v1/telephony/calls/{call_id}/keys': needsTalk({ digits: '1' }),
  'POST /v1/telephony/registrations': { good: () => ({ json: { username: 'front-desk' } }), ...unregistered },
  'GET /v1/telephony/registrations': { good: () => ({}) },
  'DELETE /v1/telephony/registrations/{registration_id}': {
    good: () => ({ path: { registration_id: 'reg_00000000000000000000' } }),
    ...unregistered,
  },
  'POST /v1/telephony/trial-calls': {
    good: async (...at) => ({
      json: { to: String((await number(...at)).phone_number), caller: { steps: [{ hang_up: true }] } },
    }),
  },
};

import { type Case, type Cases, plain } from '../case.ts';
import type { Tenant, World } from '../world.ts';

let count = 0;
const body = () => ({
  waba_id: '1',
  phone_number_id: `1${Date.now()}${++count}`,
  phone_number: '+15005550006',
  app_id: '2',
  access_token: 'a token',
  app_secret: 'a secret',
  verify_token: 'a verify token',
});

async function aNumber(world: World, tenant: Tenant): Promise<{ id: string }> {
  const made = await world.send('/v1/msgapp/numbers', {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body()),
  });
  return { id: String(made.json?.id) };
}

const PROVIDER = 'a provider is needed: test/telephony/msgapp has one';
const NO_CALL = 'a call needs the provider: test/telephony/msgapp has one';
const TO = { to: '+15005550001' };
const ofNumber = (json?: object): Case => ({
  good: async (world, tenant) => ({
    path: await aNumber(world, tenant),
    ...(json === undefined ? {} : { json }),
  }),
});

const ofCall: Case = {
  good: () => ({ path: { id: 'wcall_00000000000000000000' } }),
  cannotSucceed: NO_CALL,
};

export const msgappCases: Cases = {
  'POST /v1/msgapp/numbers': { good: () => ({ json: body() }) },
  'GET /v1/msgapp/numbers': plain,
  'GET /v1/msgapp/numbers/{id}': ofNumber(),
  'DELETE /v1/msgapp/numbers/{id}': ofNumber(),
  'POST /v1/msgapp/numbers/{id}/assign': ofNumber({ agent_id: null }),
  'GET /v1/msgapp/numbers/{id}/call-permissions': {
    good: async (world, tenant) => ({ path: await aNumber(world, tenant), query: TO }),
  },
  'PUT /v1/msgapp/numbers/{id}/calling': { ...ofNumber({ status: 'ENABLED' }), cannotSucceed: PROVIDER },
  'POST /v1/msgapp/numbers/{id}/call-permissions': { ...ofNumber(TO), cannotSucceed: PROVIDER },
  'POST /v1/msgapp/calls': {
    good: async (world, tenant) => ({ json: { number_id: (await aNumber(world, tenant)).id, ...TO } }),
    cannotSucceed: PROVIDER,
  },
  'GET /v1/msgapp/calls': plain,
  'GET /v1/msgapp/calls/{id}': ofCall,
  'POST /v1/msgapp/calls/{id}/hangup': ofCall,
  'GET /public/msgapp/webhook': {
    good: () => ({ query: { 'hub.mode': 'subscribe', 'hub.verify_token': 'nobody', 'hub.challenge': '1' } }),
    cannotSucceed: 'the token is one that a number was registered with: test/telephony/msgapp has one',
  },
  'POST /public/msgapp/webhook': {
    good: () => ({}),
    cannotSucceed: 'the provider signs it: test/telephony/msgapp does',
  },
};

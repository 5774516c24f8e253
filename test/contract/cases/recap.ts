import { type Case, type Cases, plain } from '../case.ts';
import type { Tenant, World } from '../world.ts';

const card = {
  name: 'Calls',
  criteria: [
    {
      id: 'lets-finish',
      text: 'Lets people finish',
      kind: 'yes_no',
      by: 'metric',
      metric: 'interruptions_by_agent',
      most: 0,
    },
  ],
};

const made: Case['good'] = async (world: World, tenant: Tenant) => {
  const answer = await world.send('/v1/recap/scorecards', {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(card),
  });
  return { path: { id: String((answer.json as { id: string }).id) } };
};
const needsCall: Case = {
  good: () => ({ path: { id: 'rcp_00000000000000000000' } }),
  cannotSucceed: 'a record needs a call that has ended: test/products/recap has one',
};

export const recapCases: Cases = {
  'GET /v1/recap/config': plain,
  'PUT /v1/recap/config': { good: () => ({ json: { enabled: false, webhook_url: null } }) },
  'GET /v1/recap/crm-config': plain,
  'PUT /v1/recap/crm-config': {
    good: () => ({ json: { fields: [{ name: 'city', type: 'string', description: 'Where they live' }] } }),
  },
  'GET /v1/recap/calls': plain,
  'GET /v1/recap/calls/{id}': needsCall,
  'DELETE /v1/recap/calls/{id}': needsCall,
  'PATCH /v1/recap/calls/{id}/speakers': {
    ...needsCall,
    good: () => ({
      path: { id: 'rcp_00000000000000000000' },
      json: { speakers: [{ label: 'S1', role: 'agent' }] },
    }),
  },
  'GET /v1/recap/scorecards': plain,
  'POST /v1/recap/scorecards': { good: () => ({ json: card }) },
  'GET /v1/recap/scorecards/{id}/trends': { good: made },
  'DELETE /v1/recap/scorecards/{id}': { good: made },
};

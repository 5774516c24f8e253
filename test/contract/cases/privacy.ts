import { type Cases, plain } from '../case.ts';
import type { Tenant, World } from '../world.ts';
import { newJob } from './speech.ts';

const heldJob = async (world: World, tenant: Tenant): Promise<string> => {
  const record = await newJob(world, tenant);
  await world.send(`/v1/legal-holds/${record}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ reason: 'a case' }),
  });
  return record;
};

export const privacyCases: Cases = {
  'DELETE /v1/customers/{external_id}': {
    good: () => ({ path: { external_id: 'somebody' } }),
    // A customer's own name for a person is no id: an erasure without data succeeds too.
    shared: true,
    lenient: true,
  },
  'GET /v1/legal-holds': plain,
  'PUT /v1/legal-holds/{record}': {
    good: async (world, tenant) => ({
      path: { record: await newJob(world, tenant) },
      json: { reason: 'a case' },
    }),
    costly: true,
  },
  'DELETE /v1/legal-holds/{record}': {
    good: async (world, tenant) => ({ path: { record: await heldJob(world, tenant) } }),
  },
};

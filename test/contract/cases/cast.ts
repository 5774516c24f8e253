import { type Case, type Cases, plain } from '../case.ts';
import type { Tenant, World } from '../world.ts';

const script = 'ANNA: Are you there?\nBEN: (quietly) Yes.';

async function post(
  world: World,
  tenant: Tenant,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const answer = await world.send(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.json as Record<string, unknown>;
}

const project = (world: World, tenant: Tenant) => post(world, tenant, '/v1/cast/projects', { script });
const made: Case['good'] = async (world, tenant) => ({
  path: { id: String((await project(world, tenant)).id) },
});
const rendered: Case['good'] = async (world, tenant) => {
  const { id } = await project(world, tenant);
  const render = await post(world, tenant, `/v1/cast/projects/${id}/renders`, { format: 'wav' });
  return { path: { id: String(render.id) } };
};
const needsSound: Case = {
  good: () => ({ path: { id: 'rend_00000000000000000000' } }),
  cannotSucceed: 'audio takes seconds of synthesis: test/edge/surfaces/cast has some',
};

export const castCases: Cases = {
  'GET /v1/cast': plain,
  'GET /v1/cast/capabilities': plain,
  'POST /v1/cast/projects': { good: () => ({ json: { title: 'A talk', script } }) },
  'GET /v1/cast/projects': plain,
  'GET /v1/cast/projects/{id}': { good: made },
  'PATCH /v1/cast/projects/{id}': {
    good: async (world, tenant) => ({ ...(await made(world, tenant)), json: { title: 'Another talk' } }),
  },
  'DELETE /v1/cast/projects/{id}': { good: made },
  'PATCH /v1/cast/projects/{id}/lines/{line_id}': {
    good: async (world, tenant) => {
      const { id, lines } = await project(world, tenant);
      const [line] = lines as { id: string }[];
      return { path: { id: String(id), line_id: line!.id }, json: { text: 'Is anybody there?' } };
    },
  },
  'POST /v1/cast/projects/{id}/direct': {
    good: async (world, tenant) => ({ ...(await made(world, tenant)), json: {} }),
  },
  'POST /v1/cast/projects/{id}/renders': {
    good: async (world, tenant) => ({ ...(await made(world, tenant)), json: { format: 'wav' } }),
    costly: true,
  },
  'GET /v1/cast/projects/{id}/renders': { good: made },
  'GET /v1/cast/renders/{id}': { good: rendered, costly: true },
  'POST /v1/cast/renders/{id}/cancel': { good: rendered, costly: true },
  'DELETE /v1/cast/renders/{id}': { good: rendered, costly: true },
  'GET /v1/cast/renders/{id}/audio': needsSound,
  'GET /v1/cast/renders/{id}/captions': needsSound,
};

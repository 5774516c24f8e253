import type { Case, Cases } from '../case.ts';
import { plain } from '../case.ts';
import type { Tenant, World } from '../world.ts';

async function post(world: World, tenant: Tenant, path: string, body: unknown): Promise<string> {
  const answer = await world.send(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return String(answer.json?.id);
}

const newBase = (world: World, tenant: Tenant): Promise<string> =>
  post(world, tenant, '/v1/knowledgebases', { name: 'Manual' });

const inBase: Case = { good: async (world, tenant) => ({ path: { id: await newBase(world, tenant) } }) };

const withDocument: Case = {
  good: async (world, tenant) => {
    const id = await newBase(world, tenant);
    const text = { title: 'Hours', text: 'We are open from nine to five.' };
    return { path: { id, doc_id: await post(world, tenant, `/v1/knowledgebases/${id}/documents`, text) } };
  },
};

const form = (): FormData => {
  const data = new FormData();
  data.append('file', new Blob(['We are open from nine to five.'], { type: 'text/plain' }), 'hours.txt');
  return data;
};

export const knowledgeCases: Cases = {
  'POST /v1/knowledgebases': { good: () => ({ json: { name: 'Manual', language: 'en' } }) },
  'GET /v1/knowledgebases': plain,
  'GET /v1/knowledgebases/defaults': plain,
  'PUT /v1/knowledgebases/defaults': { good: () => ({ json: { knowledge_base_ids: [] } }) },
  'GET /v1/knowledgebases/{id}': inBase,
  'PATCH /v1/knowledgebases/{id}': {
    good: async (world, tenant) => ({
      path: { id: await newBase(world, tenant) },
      json: { name: 'Handbook' },
    }),
  },
  'DELETE /v1/knowledgebases/{id}': inBase,
  'POST /v1/knowledgebases/{id}/query': {
    good: async (world, tenant) => ({
      path: { id: await newBase(world, tenant) },
      json: { query: 'when are you open', top_k: 3 },
    }),
  },
  'POST /v1/knowledgebases/{id}/documents': {
    good: async (world, tenant) => ({ path: { id: await newBase(world, tenant) }, form }),
  },
  'GET /v1/knowledgebases/{id}/gaps': inBase,
  'POST /v1/knowledgebases/{id}/crawls': {
    good: async (world, tenant) => ({
      path: { id: await newBase(world, tenant) },
      json: { url: 'https://127.0.0.1/' },
    }),
    cannotSucceed: 'a crawl needs a site: test/edge/surfaces/knowledge has one',
  },
  'GET /v1/knowledgebases/{id}/crawls': inBase,
  'GET /v1/knowledgebases/{id}/crawls/{crawl_id}': {
    good: () => ({ path: { id: 'kb_00000000000000000000', crawl_id: 'crawl_00000000000000000000' } }),
    cannotSucceed: 'a crawl needs a site: test/edge/surfaces/knowledge has one',
  },
  'GET /v1/knowledgebases/{id}/documents': inBase,
  'GET /v1/knowledgebases/{id}/documents/{doc_id}': withDocument,
  'GET /v1/knowledgebases/{id}/documents/{doc_id}/text': {
    ...withDocument,
    cannotSucceed: 'a document has no text until it is indexed: test/edge/surfaces/knowledge waits for it',
  },
  'POST /v1/knowledgebases/{id}/documents/{doc_id}/refresh': withDocument,
  'DELETE /v1/knowledgebases/{id}/documents/{doc_id}': withDocument,
};

import { type Case, type Cases, plain } from '../case.ts';
import type { Tenant, World } from '../world.ts';
import { tone } from './speech.ts';

const form = (): FormData => {
  const fields = new FormData();
  fields.append('source', 'es');
  fields.append('target', 'en');
  fields.append('file', tone(), 'tone.wav');
  return fields;
};

async function newDub(world: World, tenant: Tenant): Promise<string> {
  const headers = { authorization: `Bearer ${tenant.key}` };
  const answer = await world.send('/v1/dub', { method: 'POST', headers, body: form() });
  return String(answer.json?.id);
}

const ofOne: Case = {
  good: async (world, tenant) => ({ path: { id: await newDub(world, tenant) } }),
  needsModels: true,
};
const needsSpeech = (good: object): Case => ({
  good: () => ({ path: { id: 'dub_00000000000000000000' }, ...good }),
  cannotSucceed: 'a dub that is done takes seconds of synthesis: test/edge/surfaces/dub has one',
});

export const dubCases: Cases = {
  'GET /healthz/dub': plain,
  'POST /v1/dub': { good: () => ({ form }), needsModels: true },
  'GET /v1/dub': plain,
  'GET /v1/dub/{id}': ofOne,
  'DELETE /v1/dub/{id}': ofOne,
  'GET /v1/dub/{id}/segments': ofOne,
  'PATCH /v1/dub/{id}/segments': needsSpeech({ json: { segments: [{ number: 0, translation: 'Hello.' }] } }),
  'POST /v1/dub/{id}/render': needsSpeech({}),
  'GET /v1/dub/{id}/download': needsSpeech({}),
  'GET /v1/dub/{id}/captions': needsSpeech({ query: { format: 'srt' } }),
};

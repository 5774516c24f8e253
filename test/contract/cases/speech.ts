import { wavHeader } from '../../../src/media/codec/index.ts';
import { type Cases, plain } from '../case.ts';
import type { Tenant, World } from '../world.ts';

const SAMPLE_RATE = 8000;

export function tone(): Blob {
  const pcm = Buffer.alloc(SAMPLE_RATE * 2);
  for (let i = 0; i < SAMPLE_RATE; i++) {
    pcm.writeInt16LE(Math.round(3000 * Math.sin((2 * Math.PI * 440 * i) / SAMPLE_RATE)), 2 * i);
  }
  const header = wavHeader({ sampleRate: SAMPLE_RATE, channels: 1, sample: 's16' }, pcm.length);
  return new Blob([header, pcm], { type: 'audio/wav' });
}

export const audioForm = (): FormData => {
  const form = new FormData();
  form.append('file', tone(), 'tone.wav');
  return form;
};

const cloneForm = (): FormData => {
  const form = audioForm();
  form.append('name', 'Ada');
  form.append('consent', 'true');
  return form;
};

export async function newJob(world: World, tenant: Tenant): Promise<string> {
  const answer = await world.send('/v1/transcription/jobs', {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}` },
    body: audioForm(),
  });
  return String(answer.json?.id);
}

const ELSEWHERE = 'its own tests make voices and take them away again';
const noClone = () => ({ path: { id: 'vc_00000000000000000000' } });

export const speechCases: Cases = {
  'POST /v1/audio/transcriptions': { good: () => ({ form: audioForm }), needsModels: true },
  'POST /v1/audio/translations': { good: () => ({ form: audioForm }), needsModels: true },
  'GET /v1/hear/vocabulary': plain,
  'PUT /v1/hear/vocabulary': {
    good: () => ({
      json: { terms: [{ term: 'Trunkline' }], batch: { active: true }, streaming: { active: false } },
    }),
  },
  'POST /v1/transcription/jobs': { good: () => ({ form: audioForm }) },
  'GET /v1/transcription/jobs': plain,
  'GET /v1/transcription/jobs/{id}': {
    good: async (world, tenant) => ({ path: { id: await newJob(world, tenant) } }),
  },
  'DELETE /v1/transcription/jobs/{id}': {
    good: async (world, tenant) => ({ path: { id: await newJob(world, tenant) } }),
  },
  'GET /v1/jobs/dead': plain,
  'POST /v1/jobs/dead/{id}/retry': {
    good: () => ({ path: { id: 'job_00000000000000000000' } }),
    cannotSucceed: 'a dead job needs a job that failed for ever: test/foundation/jobs has one',
    shared: true,
  },
  'GET /v1/operator/models': plain,
  'POST /v1/operator/models': {
    // The addition fails afterwards, in the background.
    good: () => ({ json: { source: '/nowhere/model', accept_licence: true } }),
  },
  'DELETE /v1/operator/models/{name}': {
    good: () => ({ path: { name: 'none' } }),
    cannotSucceed: 'a model needs weights: test/edge/surfaces/models has one',
    shared: true,
  },
  'GET /v1/operator/routes': plain,
  'PUT /v1/operator/routes': {
    good: () => ({ json: { recognition: [{ language: 'en', use: ['whisper-base'] }], voice: [] } }),
  },
  'POST /v1/audio/speech': { good: () => ({ json: { input: 'Hi.' } }), needsModels: true, costly: true },
  'POST /v1/audio/provenance': { good: () => ({ form: audioForm }), needsModels: true },
  'GET /v1/audio/provenance/settings': plain,
  'PATCH /v1/audio/provenance/settings': { good: () => ({ json: { country: 'FR', marks: null } }) },
  'GET /v1/speak/settings': plain,
  'PUT /v1/speak/settings': { good: () => ({ json: { default_voice: 'en1' } }) },
  'GET /v1/speak/pronunciations': plain,
  'PUT /v1/speak/pronunciations': {
    good: () => ({ json: { pronunciations: [{ word: 'Nguyen', say: 'win' }] } }),
  },
  'GET /v1/voice/clones': plain,
  'POST /v1/voice/clones': { good: () => ({ form: cloneForm }), cannotSucceed: ELSEWHERE },
  'DELETE /v1/voice/clones/{id}': { good: noClone, cannotSucceed: ELSEWHERE },
  'GET /v1/voice/design': plain,
  'DELETE /v1/voice/designs/{id}': {
    good: () => ({ path: { id: 'vd_00000000000000000000' } }),
    cannotSucceed: 'a designed voice takes seconds of synthesis: test/edge/surfaces/speak/design has one',
  },
  'POST /v1/voice/design': {
    good: () => ({ json: { description: 'a calm low voice', candidates: 1 } }),
    cannotSucceed: ELSEWHERE,
    costly: true,
  },
  'POST /v1/voice/design/{id}/save': {
    good: () => ({
      path: { id: 'vdr_00000000000000000000' },
      json: { candidate_id: 'cand_00000000000000000000', name: 'x' },
    }),
    cannotSucceed: ELSEWHERE,
  },
  'GET /v1/voice/design/{id}/preview/{candidate_id}': {
    good: () => ({ path: { id: 'vdr_00000000000000000000', candidate_id: 'cand_00000000000000000000' } }),
    cannotSucceed: ELSEWHERE,
  },
};

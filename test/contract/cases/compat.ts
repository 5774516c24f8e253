import type { Case, Cases } from '../case.ts';
import { plain } from '../case.ts';
import type { Tenant, World } from '../world.ts';
import { agent } from './agents.ts';
import { audioForm, tone } from './speech.ts';

const speech = {
  good: () => ({ path: { voice_id: 'en1' }, json: { text: 'Hi.' } }),
  needsModels: true,
  costly: true,
  shared: true,
  lenient: true,
};

const dubForm = (): FormData => {
  const fields = new FormData();
  fields.append('source_lang', 'es');
  fields.append('target_lang', 'en');
  fields.append('file', tone(), 'tone.wav');
  return fields;
};
const ofOneDub: Case = {
  good: async (world: World, tenant: Tenant) => {
    const headers = { 'xi-api-key': tenant.key };
    const body = dubForm();
    const answer = await world.send('/elevenlabs/v1/dubbing', { method: 'POST', headers, body });
    return { path: { dubbing_id: String(answer.json?.dubbing_id) } };
  },
  needsModels: true,
};
const STUDIO = 'it takes seconds of synthesis: test/foreign/elevenlabs/studio.long.test.ts has some';
const cloneForm = (): FormData => {
  const fields = new FormData();
  fields.append('name', 'x');
  fields.append('labels', '{"consent": "true"}');
  fields.append('files', tone(), 'tone.wav');
  return fields;
};
const design = {
  good: () => ({ json: { voice_description: 'a calm low voice' } }),
  cannotSucceed: STUDIO,
  costly: true,
};

export const compatCases: Cases = {
  'POST /deepgram/v1/listen': {
    good: () => ({}),
    cannotSucceed: 'its body is bytes: test/edge/surfaces/compat sends them with Deepgram’s client',
    ignoresUnknown: true,
  },
  'POST /v1/realtime/client_secrets': {
    good: () => ({ json: { session: { type: 'realtime', instructions: 'You wait.' } } }),
  },
  'POST /v1/realtime/calls': {
    good: () => ({}),
    cannotSucceed:
      'its body is an SDP offer: test/foreign/openai/webrtc.long.test.ts has clients that make one',
    ignoresUnknown: true,
  },
  'POST /v1/realtime/calls/{call_id}/hangup': {
    good: () => ({ path: { call_id: 'ocl_00000000000000000000' } }),
    cannotSucceed: 'a call needs a caller: test/foreign/openai/webrtc.long.test.ts has some',
  },
  'POST /deepgram/v1/auth/grant': { good: () => ({ json: { ttl_seconds: 30 } }), ignoresUnknown: true },
  'POST /deepgram/v1/speak': {
    good: () => ({ query: { model: 'aura-2-thalia-en', encoding: 'mulaw' }, json: { text: 'Hi.' } }),
    needsModels: true,
    costly: true,
    lenient: true,
    ignoresUnknown: true,
  },
  'GET /deepgram/v1/models': plain,
  'GET /deepgram/v1/projects': plain,
  'GET /deepgram/v1/projects/{project_id}': {
    good: (_world, { projectId }) => ({ path: { project_id: projectId } }),
  },
  'POST /elevenlabs/v1/speech-to-text': {
    good: () => ({ form: audioForm }),
    needsModels: true,
    ignoresUnknown: true,
  },
  'GET /elevenlabs/v1/convai/conversation/get-signed-url': {
    good: async (...at) => ({ query: await agent(...at) }),
  },
  'GET /elevenlabs/v1/models': plain,
  'GET /elevenlabs/v1/user': plain,
  'GET /elevenlabs/v1/user/subscription': plain,
  'GET /elevenlabs/v1/history': { ...plain, ignoresUnknown: true },
  'GET /elevenlabs/v1/voices': plain,
  'GET /elevenlabs/v2/voices': plain,
  'GET /elevenlabs/v1/voices/{voice_id}': { good: () => ({ path: { voice_id: 'en1' } }), shared: true },
  'DELETE /elevenlabs/v1/voices/{voice_id}': {
    good: () => ({ path: { voice_id: 'vd_00000000000000000000' } }),
    cannotSucceed: STUDIO,
  },
  'POST /elevenlabs/v1/voices/add': {
    good: () => ({ form: cloneForm }),
    cannotSucceed: STUDIO,
    ignoresUnknown: true,
  },
  'POST /elevenlabs/v1/text-to-voice/design': design,
  'POST /elevenlabs/v1/text-to-voice/create-previews': design,
  'POST /elevenlabs/v1/text-to-voice': {
    good: () => ({
      json: {
        voice_name: 'x',
        voice_description: 'a calm low voice',
        generated_voice_id: 'vdr_00000000000000000000.cand_00000000000000000000',
      },
    }),
    cannotSucceed: STUDIO,
  },
  'POST /elevenlabs/v1/dubbing': { good: () => ({ form: dubForm }), needsModels: true, ignoresUnknown: true },
  'GET /elevenlabs/v1/dubbing': { ...plain, ignoresUnknown: true },
  'GET /elevenlabs/v1/dubbing/{dubbing_id}': ofOneDub,
  'DELETE /elevenlabs/v1/dubbing/{dubbing_id}': ofOneDub,
  'GET /elevenlabs/v1/dubbing/{dubbing_id}/audio/{language_code}': {
    good: () => ({ path: { dubbing_id: 'dub_00000000000000000000', language_code: 'en' } }),
    cannotSucceed: STUDIO,
  },
  'POST /elevenlabs/v1/text-to-speech/{voice_id}': speech,
  'POST /elevenlabs/v1/text-to-speech/{voice_id}/stream': speech,
  'POST /elevenlabs/v1/text-to-speech/{voice_id}/with-timestamps': speech,
  'POST /elevenlabs/v1/text-to-speech/{voice_id}/stream/with-timestamps': speech,
};

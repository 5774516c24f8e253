import type { Cases } from '../case.ts';
import { plain } from '../case.ts';
import { agent } from './agents.ts';
import { audioForm } from './speech.ts';

const speech = {
  good: () => ({ path: { voice_id: 'en1' }, json: { text: 'Hi.' } }),
  needsModels: true,
  costly: true,
  shared: true,
  lenient: true,
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
  'POST /elevenlabs/v1/text-to-speech/{voice_id}': speech,
  'POST /elevenlabs/v1/text-to-speech/{voice_id}/stream': speech,
  'POST /elevenlabs/v1/text-to-speech/{voice_id}/with-timestamps': speech,
  'POST /elevenlabs/v1/text-to-speech/{voice_id}/stream/with-timestamps': speech,
};

/** GET and PUT /v1/speak/settings: the account's default voice. */
import type { FastifyInstance } from 'fastify';
import { SpeakSettings } from './schemas.ts';
import type { SpeakStore } from './store.ts';
import type { SpeakVoices } from './voices.ts';

const ACCESS = { kind: 'key', scope: 'speak:synthesize' } as const;
const tags = ['Speak'];

export function settingsRoutes(app: FastifyInstance, voices: SpeakVoices, store: SpeakStore): void {
  app.get('/v1/speak/settings', {
    config: { access: ACCESS },
    schema: { summary: 'The default voice', tags, response: { 200: SpeakSettings } },
    handler: async (request) => {
      const voice = await voices.resolve(request.caller().orgId, undefined);
      return { default_voice: voice.id };
    },
  });
  app.put<{ Body: SpeakSettings }>('/v1/speak/settings', {
    config: { access: ACCESS, errors: ['voice_not_found', 'voice_retired'] },
    schema: {
      summary: 'Choose the default voice',
      tags,
      body: SpeakSettings,
      response: { 200: SpeakSettings },
    },
    handler: async (request) => {
      const { orgId } = request.caller();
      const voice = await voices.resolve(orgId, request.body.default_voice);
      await store.setDefaultVoice(orgId, voice.id);
      return { default_voice: voice.id };
    },
  });
}

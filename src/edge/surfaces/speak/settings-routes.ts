import type { FastifyInstance } from 'fastify';
import type { VoiceCatalogue, VoiceStore } from '../../../speech/voices/index.ts';
import { SpeakSettings } from './schemas.ts';

const ACCESS = { kind: 'key', scope: 'speak:synthesize' } as const;
const tags = ['Speak'];

export function settingsRoutes(app: FastifyInstance, voices: VoiceCatalogue, store: VoiceStore): void {
  app.get('/v1/speak/settings', {
    config: { access: ACCESS },
    schema: { summary: 'Get the default voice', tags, response: { 200: SpeakSettings } },
    handler: async (request) => {
      const voice = await voices.resolve(request.tenantScope(), undefined);
      return { default_voice: voice.id };
    },
  });
  app.put<{ Body: SpeakSettings }>('/v1/speak/settings', {
    config: { access: ACCESS, errors: ['voice_not_found', 'voice_retired'] },
    schema: {
      summary: 'Set the default voice',
      tags,
      body: SpeakSettings,
      response: { 200: SpeakSettings },
    },
    handler: async (request) => {
      const scope = request.tenantScope();
      const voice = await voices.resolve(scope, request.body.default_voice);
      await store.setDefaultVoice(scope, voice.id);
      return { default_voice: voice.id };
    },
  });
}

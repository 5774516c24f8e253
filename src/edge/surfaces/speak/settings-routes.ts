import type { FastifyInstance } from 'fastify';
import { checkPronunciations, type VoiceCatalogue, type VoiceStore } from '../../../speech/voices/index.ts';
import { Pronunciations, PronunciationsBody, SpeakSettings } from './schemas.ts';

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
  pronunciationRoutes(app, store);
}

function pronunciationRoutes(app: FastifyInstance, store: VoiceStore): void {
  app.get('/v1/speak/pronunciations', {
    config: { access: ACCESS },
    schema: { summary: 'Get the project’s pronunciations', tags, response: { 200: Pronunciations } },
    handler: async (request) => ({
      object: 'speak.pronunciations' as const,
      pronunciations: await store.pronunciations(request.tenantScope()),
    }),
  });
  app.put<{ Body: PronunciationsBody }>('/v1/speak/pronunciations', {
    config: { access: ACCESS },
    schema: {
      summary: 'Replace the project’s pronunciations',
      description:
        'Whole words that voices of the project say by another spelling: in Speak, in calls that begin after the change, in Cast renders and in dubs. Transcripts keep the words as they are written. The pronunciations of a Cast project come before these.',
      tags,
      body: PronunciationsBody,
      response: { 200: Pronunciations },
    },
    handler: async (request) => {
      const pronunciations = checkPronunciations(request.body.pronunciations);
      await store.setPronunciations(request.tenantScope(), pronunciations);
      return { object: 'speak.pronunciations' as const, pronunciations };
    },
  });
}

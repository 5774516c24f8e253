import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { NoSuchError } from '../../../../foundation/platform/errors.ts';
import { HEAR_LANGUAGES } from '../../../../media/engine/index.ts';
import type { StockVoices } from '../../../../speech/voices/index.ts';

const config = { access: { kind: 'key' }, vendor: 'deepgram' } as const;
const tags = ['Deepgram clients'];

const common = {
  name: Type.String(),
  canonical_name: Type.String(),
  architecture: Type.String(),
  languages: Type.Array(Type.String()),
  version: Type.String(),
  uuid: Type.String(),
};
const Models = Type.Object({
  stt: Type.Array(
    Type.Object({
      ...common,
      batch: Type.Boolean(),
      streaming: Type.Boolean(),
      formatted_output: Type.Boolean(),
    }),
  ),
  tts: Type.Array(
    Type.Object({
      ...common,
      metadata: Type.Object({ accent: Type.String(), tags: Type.Array(Type.String()) }),
    }),
  ),
});

const LISTENS = {
  name: 'svc-hear',
  canonical_name: 'svc-hear',
  architecture: 'svc-hear',
  languages: [...HEAR_LANGUAGES],
  version: '1',
  uuid: 'svc-hear',
  batch: true,
  streaming: true,
  formatted_output: true,
};

const Project = Type.Object({ project_id: Type.String(), name: Type.String() });

export function accountRoutes(app: FastifyInstance, voices: Pick<StockVoices, 'list'>): void {
  const speaks = voices.list
    .filter(({ available_on }) => available_on.includes('speak'))
    .map(({ id, name, language, region, gender }) => ({
      name,
      canonical_name: id,
      architecture: 'svc-speak',
      languages: [language],
      version: '1',
      uuid: id,
      metadata: { accent: region, tags: [gender === 'female' ? 'feminine' : 'masculine'] },
    }));
  app.get('/deepgram/v1/models', {
    config,
    schema: {
      summary: 'List models and voices in Deepgram’s format',
      tags,
      operationId: 'deepgram_models',
      querystring: Type.Object({
        include_outdated: Type.Optional(
          Type.Unsafe<unknown>({ description: 'Accepted for compatibility; has no effect.' }),
        ),
      }),
      response: { 200: Models },
    },
    handler: async () => ({ stt: [LISTENS], tts: speaks }),
  });
  app.get('/deepgram/v1/projects', {
    config,
    schema: {
      summary: 'List the key’s project in Deepgram’s format',
      tags,
      operationId: 'deepgram_projects',
      response: { 200: Type.Object({ projects: Type.Array(Project) }) },
    },
    handler: async (request) => {
      const { projectId } = request.caller();
      return { projects: [{ project_id: projectId, name: projectId }] };
    },
  });
  app.get<{ Params: { project_id: string } }>('/deepgram/v1/projects/:project_id', {
    config: { ...config, errors: ['not_found'] },
    schema: {
      summary: 'Retrieve the key’s project in Deepgram’s format',
      tags,
      operationId: 'deepgram_project',
      params: Type.Object({ project_id: Type.String() }),
      response: { 200: Project },
    },
    handler: async (request) => {
      const { projectId } = request.caller();
      if (request.params.project_id !== projectId) throw new NoSuchError('project', { param: 'project_id' });
      return { project_id: projectId, name: projectId };
    },
  });
}

/** The operator's models and the rules by which they serve, as `npx trunkline models` has them. */
import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { KNOWLEDGE_LANGUAGES } from '../../../conversation/knowledge/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { PlainText } from '../../../foundation/platform/plain-text.ts';
import { HEAR_LANGUAGES } from '../../../media/engine/index.ts';
import type { Surface } from '../../server/surface.ts';

const OPERATOR = { access: { kind: 'operator' } } as const;
const tags = ['Operator'];
const MOST_RULES = 100;

const Name = PlainText(64, 'The name of a model.');
const Params = Type.Object({ name: Name });
type Params = Static<typeof Params>;

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const Model = Type.Object({
  id: Type.String(),
  object: Type.Literal('model'),
  kind: Type.String({
    description:
      'The type of the model, `piper-voice`, `kokoro-voices`, `kokoro-model`, `whisper`, `moonshine`, `embedding-model` or `speaker-encoder`. Members that are null are unknown.',
  }),
  state: Type.Enum(['ready', 'adding', 'failed', 'damaged']),
  title: Nullable(Type.String()),
  source: Type.String(),
  revision: Nullable(Type.String()),
  licence: Nullable(Type.String()),
  languages: Type.Array(Type.String()),
  bytes: Nullable(Type.Integer()),
  real_time_factor: Nullable(Type.Number()),
  passage_ms: Nullable(
    Type.Number({ description: 'Processor time in milliseconds to embed a passage; for embedding models.' }),
  ),
  memory_bytes: Nullable(Type.Integer()),
  /** The step of a model that is being added, or why it failed. */
  detail: Nullable(Type.String()),
});
export type ModelView = Static<typeof Model>;

const LicensedModel = Type.Object({
  id: Type.String(),
  object: Type.Literal('model.licence'),
  title: Type.String(),
  version: Nullable(Type.String()),
  licence: Nullable(Type.String({ description: 'Null if the source of the model states none.' })),
  origin: Type.String({ description: 'The source of the model.' }),
  built_in: Type.Boolean({ description: 'False if the operator added the model.' }),
  ready: Type.Boolean({ description: 'Whether all files of the model are present.' }),
});
export type LicensedModel = Static<typeof LicensedModel>;

const Addition = Type.Object({
  source: PlainText(2048, 'A folder or file on the server, an https:// URL, or hf:OWNER/NAME@REVISION:PATH.'),
  name: Type.Optional(Type.String({ pattern: '^[a-z][a-z0-9_]{1,63}$' })),
  accept_licence: Type.Literal(true, {
    description: 'Confirms that you have read the licence of the model and may use it.',
  }),
});
type Addition = Static<typeof Addition>;

const Device = Type.Optional(
  Type.Enum(['cpu', 'cuda'], { description: 'Apply the rule only where the engine runs on this device.' }),
);
const Plan = Type.Optional(PlainText(32, 'Apply the rule only to customers of this plan.'));
const Preferred = Type.Array(Name, {
  minItems: 1,
  maxItems: 8,
  description: 'Models in order of preference; the first available one is used.',
});
const Rule = Type.Object({
  language: Type.Optional(Type.Enum([...HEAR_LANGUAGES])),
  plan: Plan,
  device: Device,
  use: Preferred,
});
const PartialsRule = Type.Object({ plan: Plan, device: Device, use: Preferred });
const VoiceRule = Type.Object({
  language: PlainText(16, 'The language of the voice.'),
  plan: Plan,
  device: Device,
  use: Type.Array(Name, { minItems: 1, maxItems: 1 }),
});
const BrainRule = Type.Object({
  language: Type.Optional(Type.Enum([...HEAR_LANGUAGES], { description: 'The language of the call.' })),
  plan: Plan,
  device: Device,
  use: Type.Array(Name, {
    minItems: 1,
    maxItems: 8,
    description:
      'Language models in order of preference; the first configured one is used. Agents of these customers may name any of them.',
  }),
});
const EmbeddingRule = Type.Object({
  language: Type.Enum([...KNOWLEDGE_LANGUAGES], { description: 'The language of the knowledge base.' }),
  use: Type.Array(Name, { minItems: 1, maxItems: 1 }),
});
const EncoderRule = Type.Object({ use: Type.Array(Name, { minItems: 1, maxItems: 1 }) });
const Routes = Type.Object({
  object: Type.Literal('operator.routes'),
  recognition: Type.Array(Rule),
  partials: Type.Array(PartialsRule, { description: 'Which Moonshine makes the partials of English.' }),
  voice: Type.Array(VoiceRule),
  brain: Type.Array(BrainRule),
  embedding: Type.Array(EmbeddingRule),
  speakers: Type.Array(EncoderRule, {
    description: 'The speaker encoder; empty for the built-in one, `campplus`.',
  }),
});
const RoutesChange = Type.Object({
  recognition: Type.Optional(Type.Array(Rule, { maxItems: MOST_RULES })),
  partials: Type.Optional(Type.Array(PartialsRule, { maxItems: MOST_RULES })),
  voice: Type.Optional(Type.Array(VoiceRule, { maxItems: MOST_RULES })),
  brain: Type.Optional(Type.Array(BrainRule, { maxItems: MOST_RULES })),
  embedding: Type.Optional(Type.Array(EmbeddingRule, { maxItems: MOST_RULES })),
  speakers: Type.Optional(Type.Array(EncoderRule, { maxItems: 1 })),
});
export type RoutesView = Omit<Static<typeof Routes>, 'object'>;
export type RoutesChange = Static<typeof RoutesChange>;

export interface OperatorModels {
  /** Those that come with the product first. */
  licences(): readonly LicensedModel[];
  list(): readonly ModelView[];
  /** Returns the model as it is being added; `list` tells what became of it. */
  add(source: string, name: string | null): ModelView;
  remove(name: string): boolean;
  readonly routes: RoutesView;
  /** Throws RoutesError. */
  route(change: RoutesChange): void;
  stop(): Promise<void>;
}

export const createModelsSurface = (models: OperatorModels): Surface => ({
  name: 'models',
  routes: (app) => {
    modelRoutes(app, models);
    ruleRoutes(app, models);
  },
  stop: () => models.stop(),
});

function modelRoutes(app: FastifyInstance, models: OperatorModels): void {
  app.get(
    '/v1/operator/models',
    {
      config: OPERATOR,
      schema: {
        summary: 'List added models, including those in progress',
        tags,
        response: { 200: Type.Object({ object: Type.Literal('list'), data: Type.Array(Model) }) },
      },
    },
    async () => ({ object: 'list' as const, data: [...models.list()] }),
  );
  app.get(
    '/v1/operator/licences',
    {
      config: OPERATOR,
      schema: {
        summary: 'List the licence of each model, including built-in models',
        tags,
        response: { 200: Type.Object({ object: Type.Literal('list'), data: Type.Array(LicensedModel) }) },
      },
    },
    async () => ({ object: 'list' as const, data: [...models.licences()] }),
  );
  app.post<{ Body: Addition }>(
    '/v1/operator/models',
    {
      config: OPERATOR,
      schema: {
        summary: 'Add a model; it is downloaded, converted and tested in the background',
        description:
          'The response contains the model in the state `adding`. Poll `GET /v1/operator/models` until it is `ready`, or `failed` with the reason in `detail`.',
        tags,
        body: Addition,
        response: { 202: Model },
      },
    },
    async ({ body }, reply) => reply.code(202).send(models.add(body.source, body.name ?? null)),
  );
  app.delete<{ Params: Params }>(
    '/v1/operator/models/:name',
    {
      config: { ...OPERATOR, errors: ['not_found'] },
      schema: {
        summary: 'Remove an added model; calls that use it end',
        tags,
        params: Params,
        response: {
          200: Type.Object({ id: Type.String(), object: Type.Literal('model'), deleted: Type.Literal(true) }),
        },
      },
    },
    async ({ params: { name } }) => {
      if (!models.remove(name)) throw new ApiError('not_found', `There is no added model ${name}.`);
      return { id: name, object: 'model' as const, deleted: true as const };
    },
  );
}

function ruleRoutes(app: FastifyInstance, models: OperatorModels): void {
  const view = () => ({ object: 'operator.routes' as const, ...models.routes });
  app.get(
    '/v1/operator/routes',
    {
      config: OPERATOR,
      schema: {
        summary:
          'Get the routing rules of recognizers, voices, language models, embedding models and the speaker encoder',
        tags,
        response: { 200: Routes },
      },
    },
    async () => view(),
  );
  app.put<{ Body: RoutesChange }>(
    '/v1/operator/routes',
    {
      config: OPERATOR,
      schema: {
        summary:
          'Set the routing rules of recognizers, voices, language models, embedding models and the speaker encoder',
        description:
          'A list replaces all rules of its kind; an omitted list is unchanged. The first matching rule of recognition, of partials, and of brains, applies; a voice rule with more conditions takes precedence over one with fewer. Without brain rules, every agent may name every language model. `whisper-base` is the built-in recognizer, `moonshine-tiny-en` makes the partials of English, and `default` the default language model. The built-in embedding models are `minilm-l6` (English) and `e5-small`; documents are embedded anew in the background after a change. The built-in speaker encoder is `campplus`.',
        tags,
        body: RoutesChange,
        response: { 200: Routes },
      },
    },
    async ({ body }) => {
      try {
        models.route(body);
      } catch (error) {
        if (!(error instanceof RoutesError)) throw error;
        throw new ApiError('invalid_request', error.message, { param: error.field, cause: error });
      }
      return view();
    },
  );
}

export class RoutesError extends Error {
  override readonly name = 'RoutesError';
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

import Type from 'typebox';
import { AGENT_FIELDS, IdleSchema } from '../../../conversation/agents/index.ts';
import { CreatedBy } from '../../../foundation/events/index.ts';
import { mergePatchOf } from '../../../foundation/platform/merge-patch.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const { name, ...others } = AGENT_FIELDS;
const optional = Type.Partial(Type.Object(others));
const Alias = Type.Optional(
  nullable(Type.String({ minLength: 1, maxLength: 128, description: 'An alias of `voice_id`.' })),
);

export const AgentBody = Type.Object(
  { name, ...optional.properties, voice: Alias },
  { additionalProperties: false },
);
export const AgentPatch = mergePatchOf(
  { ...AGENT_FIELDS, idle: nullable(mergePatchOf(IdleSchema.properties)), voice: Alias },
  ['name'],
);

const Version = Type.Integer({ minimum: 1 });
export const TrafficBody = Type.Record(
  Type.String({ pattern: '^[0-9]{1,9}$' }),
  Type.Integer({ minimum: 0, maximum: 100 }),
  {
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 20,
    description: 'The percentage of calls per version. The values must add up to 100.',
    examples: [{ '3': 90, '4': 10 }],
  },
);

/** The response schema is looser than the request's: a version may have been saved before a limit was narrowed. */
const AgentQueryFields = Type.Object({
  ...AGENT_FIELDS,
  language: Type.String(),
  builtin_tools: Type.Array(Type.String()),
});

export const Agent = Type.Object({
  id: Type.String(),
  object: Type.Literal('agent'),
  ...AgentQueryFields.properties,
  version: Version,
  latest_version: Version,
  published_version: nullable(Version),
  traffic: nullable(Type.Record(Type.String(), Type.Integer())),
  required_suite: nullable(
    Type.String({ description: 'The test suite that a version must pass before it can be published.' }),
  ),
  created_by: CreatedBy,
  created_at: Type.Integer(),
  updated_at: Type.Integer(),
});
export const AgentList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Agent),
  next_cursor: nullable(Type.String()),
});
export const AgentParams = Type.Object({ agent_id: Type.String({ maxLength: 256 }) });
export const SaveQuery = Type.Object({
  draft: Type.Optional(Type.Boolean({ description: 'Save the version as a draft, which serves no calls.' })),
});
export const GetQuery = Type.Object({
  version: Type.Optional(Version),
  draft: Type.Optional(
    Type.Boolean({ description: 'Return the newest version, whether or not it is published.' }),
  ),
});
export const PublishBody = Type.Object({ version: Version }, { additionalProperties: false });
export const Versions = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object({
      object: Type.Literal('agent.version'),
      version: Version,
      published: Type.Boolean(),
      percent: Type.Integer({ description: 'The percentage of calls that this version serves.' }),
      ...AgentQueryFields.properties,
      created_at: Type.Integer(),
    }),
  ),
  next_cursor: nullable(Type.String()),
});
export const Prompt = Type.Object({
  object: Type.Literal('agent.prompt'),
  agent_id: Type.String(),
  version: Version,
  system: Type.String({
    description: 'The complete system prompt that the model receives before the conversation.',
  }),
  tools: Type.Array(
    Type.Object({
      name: Type.String(),
      description: Type.String(),
      parameters: Type.Record(Type.String(), Type.Unknown()),
    }),
  ),
});
export const KnowledgeBody = Type.Object(
  { knowledge_base_ids: AGENT_FIELDS.knowledge_base_ids },
  { additionalProperties: false },
);
export const ToolsBody = Type.Object({ tool_ids: AGENT_FIELDS.tool_ids }, { additionalProperties: false });
export const Deleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('agent'),
  deleted: Type.Literal(true),
});

const SuiteName = Type.String({ minLength: 1, maxLength: 200, examples: ['Order status'] });
export const SuiteBody = Type.Object({ suite: nullable(SuiteName) }, { additionalProperties: false });
export const RunBody = Type.Object(
  {
    version: Version,
    suite: SuiteName,
    scenarios: Type.Array(
      Type.Object(
        {
          name: Type.String({ minLength: 1, maxLength: 200 }),
          passed: Type.Boolean(),
          call_ids: Type.Array(Type.String({ maxLength: 64 }), {
            maxItems: 100,
            description: 'The calls that ran this scenario. A scenario that passed must name at least one.',
          }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 500 },
    ),
  },
  { additionalProperties: false },
);
export const Run = Type.Object({
  id: Type.String(),
  object: Type.Literal('agent.test_run'),
  agent_id: Type.String(),
  version: Version,
  suite: Type.String(),
  passed: Type.Boolean(),
  scenarios: Type.Integer(),
  failed: Type.Integer(),
  created_at: Type.Integer(),
});
export const Runs = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Run),
  next_cursor: nullable(Type.String()),
});

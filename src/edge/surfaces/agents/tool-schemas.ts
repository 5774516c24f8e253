import Type from 'typebox';
import { TOOL_FIELDS } from '../../../conversation/agents/index.ts';
import { mergePatchOf } from '../../../foundation/platform/merge-patch.ts';

const { name, kind, ...others } = TOOL_FIELDS;
const optional = Type.Partial(Type.Object(others)).properties;

export const ToolBody = Type.Object({ name, kind, ...optional }, { additionalProperties: false });
export const ToolPatch = mergePatchOf(TOOL_FIELDS, ['name', 'kind']);
export const Tool = Type.Object({
  id: Type.String(),
  object: Type.Literal('tool'),
  ...TOOL_FIELDS,
  kind: Type.String(),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'The names of the headers. Their values are never returned.',
  }),
  created_at: Type.Integer(),
  updated_at: Type.Integer(),
});
export const ToolList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Tool),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
export const ToolParams = Type.Object({ tool_id: Type.String({ maxLength: 256 }) });
export const ToolDeleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('tool'),
  deleted: Type.Literal(true),
});

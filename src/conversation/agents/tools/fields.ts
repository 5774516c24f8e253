import { type Static, Type } from 'typebox';
import type { Patch } from '../../../foundation/platform/merge-patch.ts';

export const TOOL_KINDS = ['client', 'webhook', 'mcp'] as const;

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

/** The pattern excludes the header names that HTTP connections set themselves. */
const HEADER =
  '^(?!(?:[Hh][Oo][Ss][Tt]|[Cc][Oo][Nn][Nn][Ee][Cc][Tt][Ii][Oo][Nn]|[Cc][Oo][Nn][Tt][Ee][Nn][Tt]-[A-Za-z]+|[Tt][Rr][Aa][Nn][Ss][Ff][Ee][Rr]-[A-Za-z]+|[Xx]-[Ss][Vv][Cc]-.*)$)[A-Za-z0-9-]{1,64}$';

export const TOOL_FIELDS = {
  name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }),
  description: Type.String({ maxLength: 1024 }),
  parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the arguments.' }),
  kind: Type.Enum([...TOOL_KINDS]),
  url: nullable(Type.String({ maxLength: 2048, description: 'The URL of the webhook or MCP server.' })),
  headers: Type.Record(Type.String({ pattern: HEADER }), Type.String({ maxLength: 4096 }), {
    maxProperties: 20,
    additionalProperties: false,
    description:
      'Headers sent with each call. They are stored encrypted, and their values are never returned.',
  }),
  timeout_ms: Type.Integer({ minimum: 100, maximum: 30_000 }),
  filler: nullable(Type.String({ maxLength: 200, description: 'Spoken while the tool runs.' })),
  confirm: Type.Boolean({
    description: 'Whether the agent asks the caller for confirmation before each call.',
  }),
  allow: nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
      maxItems: 64,
      description: 'The tools of the MCP server that may be called; null means none.',
    }),
  ),
};

const Whole = Type.Object(TOOL_FIELDS);
export type ToolFields = Static<typeof Whole>;
export type ToolChange = Patch<ToolFields> & { readonly name?: string; readonly kind?: ToolFields['kind'] };
export type ToolBody = Partial<ToolFields> & Pick<ToolFields, 'name' | 'kind'>;

export const EMPTY_TOOL: Omit<ToolFields, 'name' | 'kind'> = {
  description: '.',
  parameters: { type: 'object', properties: {} },
  url: null,
  headers: {},
  timeout_ms: 5000,
  filler: null,
  confirm: false,
  allow: null,
};

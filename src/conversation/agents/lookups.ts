import { type Static, Type } from 'typebox';
import { ApiError } from '../../foundation/platform/errors.ts';
import { type CaptureRecord, recordsIn } from '../../language/capture/index.ts';
import type { ToolFields } from './tools/fields.ts';

export const MAX_LOOKUPS = 10;
export const MAX_LOOKUP_ROWS = 2_000;
export const MAX_LOOKUP_CHARACTERS = 400_000;

const closed = <T extends Parameters<typeof Type.Object>[0]>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });
const Value = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });

const RecordRow = closed({
  value: Value,
  id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'Your own ID of the row. `captured` returns it as `record_id`.',
    }),
  ),
  label: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'What the agent says instead of the value. Rows with the same value need different labels.',
    }),
  ),
  spoken: Type.Optional(
    Type.Array(Value, { maxItems: 10, description: 'Other ways in which callers say the value.' }),
  ),
});

export const LookupSchema = Type.Object(
  {
    name: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' }),
    values: Type.Optional(
      Type.Array(Type.Union([Value, RecordRow]), {
        minItems: 1,
        maxItems: MAX_LOOKUP_ROWS,
        description: 'The rows: strings, or objects with `value`.',
      }),
    ),
    tool: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{1,64}$',
        description:
          'The name of one of the agent’s tools. It is called with what the caller said as `heard`, and returns the candidate rows.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'Your own records for exact values; has either `values` or `tool`.',
  },
);
export type Lookup = Static<typeof LookupSchema>;

const wrong = (param: string, message: string): ApiError =>
  new ApiError('invalid_request', message, { param });

export function checkLookups(lookups: readonly Lookup[]): void {
  const names = new Set<string>();
  let rows = 0;
  for (const [at, { name, values, tool }] of lookups.entries()) {
    const field = `lookups.${at}`;
    if (names.has(name)) throw wrong(`${field}.name`, `Two lookups are named ${name}.`);
    names.add(name);
    if ((values === undefined) === (tool === undefined))
      throw wrong(field, `The lookup ${name} must have either values or tool.`);
    rows += values?.length ?? 0;
    if (values !== undefined) checkRows(recordsIn(values), `${field}.values`);
  }
  if (rows > MAX_LOOKUP_ROWS)
    throw wrong('lookups', `The lookups of an agent can have at most ${MAX_LOOKUP_ROWS} rows together.`);
  if (JSON.stringify(lookups).length > MAX_LOOKUP_CHARACTERS)
    throw wrong(
      'lookups',
      `The lookups of an agent can have at most ${MAX_LOOKUP_CHARACTERS} characters as JSON.`,
    );
}

/** The agent could not tell two rows apart that it says in the same way. */
function checkRows(rows: readonly CaptureRecord[], field: string): void {
  const spoken = new Map<string, number>();
  for (const [at, { value, label }] of rows.entries()) {
    const key = JSON.stringify([value, label ?? value]);
    const before = spoken.get(key);
    if (before !== undefined)
      throw wrong(
        `${field}.${at}`,
        `Row ${at} has the same value and label as row ${before}: rows with the same value need different labels.`,
      );
    spoken.set(key, at);
  }
}

type LookupTool = Pick<ToolFields, 'name' | 'kind' | 'confirm' | 'parameters'>;

/** The tools of an MCP server are known only when a call connects to it. */
export function checkLookupTools(lookups: readonly Lookup[], tools: readonly LookupTool[]): void {
  const isOpen = tools.some(({ kind }) => kind === 'mcp');
  for (const [at, { name, tool }] of lookups.entries()) {
    if (tool === undefined) continue;
    const field = `lookups.${at}.tool`;
    const found = tools.find((one) => one.kind !== 'mcp' && one.name === tool);
    if (found === undefined) {
      if (isOpen) continue;
      throw wrong(field, `The lookup ${name} names the tool ${tool}, which is not one of the agent's tools.`);
    }
    if (found.confirm)
      throw wrong(field, `The tool ${tool} asks the caller before each call, so a lookup cannot use it.`);
    const { properties } = found.parameters as { properties?: Record<string, unknown> };
    if (properties === undefined || !Object.hasOwn(properties, 'heard'))
      throw wrong(field, `The tool ${tool} needs a parameter heard, which gets what the caller said.`);
  }
}

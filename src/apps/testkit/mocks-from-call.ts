import type { CallRecord, OfferedTool } from './server-api.ts';
import type { Mock } from './suite.ts';

type Called = NonNullable<CallRecord['tool_calls']>[number];

export function mocksFromCall(
  { tool_calls = [] }: CallRecord,
  offered: readonly OfferedTool[],
): Record<string, Mock> {
  const names = [...new Set(tool_calls.map(({ name }) => name))];
  return Object.fromEntries(
    names.map((name) => {
      const calls = tool_calls.filter((call) => call.name === name);
      return [
        name,
        {
          ...shapeOf(
            calls,
            offered.find((tool) => tool.name === name),
          ),
          answers: calls.map(answerOf),
        },
      ];
    }),
  );
}

function shapeOf(
  calls: readonly Called[],
  known: OfferedTool | undefined,
): Pick<Mock, 'description' | 'parameters'> {
  if (known !== undefined) return { description: known.description, parameters: known.parameters };
  // The client of that call defined the tool, so its schema follows from the arguments.
  const types = calls.flatMap(({ arguments: args }) =>
    Object.entries(args).map(([key, value]) => [key, typeOf(value)]),
  );
  return { parameters: { type: 'object', properties: Object.fromEntries(types) } };
}

function typeOf(value: unknown): { type?: string } {
  if (Array.isArray(value)) return { type: 'array' };
  return value === null ? {} : { type: typeof value };
}

const NEVER = 'the tool did not answer in time';

const answerOf = ({ arguments: args, took_ms, result, error }: Called) => ({
  arguments: args,
  ...(result === undefined ? { error: error ?? NEVER } : { result }),
  delay_ms: Math.min(took_ms ?? 0, 600_000),
});

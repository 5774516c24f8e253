import type { FastifyInstance } from 'fastify';
import { withoutComponents } from '../../server/surface.ts';
import { API_TOOLS, type ApiTool } from './tools.ts';

type Json = Record<string, unknown>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Json;
}

export interface McpToolOperation extends ApiTool {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly scope: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly definition: { name: string; description: string; inputSchema: Json & { type: 'object' } };
}

interface Operation {
  readonly description: string;
  readonly 'x-required-scope'?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
}

/** The server's own OpenAPI description is the source, so that a tool never differs from its route. */
export async function describeTools(app: FastifyInstance): Promise<McpToolOperation[]> {
  const described = (await app.inject('/openapi.json')).json() as Json;
  const { paths } = withoutComponents(described) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return API_TOOLS.flatMap((tool) => {
    const [method, path] = tool.operation.split(' ') as [McpToolOperation['method'], string];
    const operation = paths[path]?.[method.toLowerCase()];
    return operation === undefined ? [] : [describeTool(tool, method, path, operation)];
  });
}

function describeTool(
  tool: ApiTool,
  method: McpToolOperation['method'],
  path: string,
  operation: Operation,
): McpToolOperation {
  const parameters = (operation.parameters ?? []).filter((each) => each.in !== 'header');
  const body = operation.requestBody?.content['application/json']?.schema;
  const properties: Json = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [
      name,
      description === undefined ? schema : { ...schema, description },
    ]),
  );
  const required = parameters.filter((each) => each.required).map(({ name }) => name);
  if (tool.body !== undefined && body !== undefined) {
    properties[tool.body] = body;
    required.push(tool.body);
  }
  const [first = ''] = operation.description.split('\n\n');
  return {
    ...tool,
    method,
    path,
    parameters,
    scope: operation['x-required-scope'],
    definition: {
      name: tool.name,
      description: [tool.hint, first].filter(Boolean).join(' '),
      inputSchema: { type: 'object', properties, required, additionalProperties: false },
    },
  };
}

/** Unknown arguments are passed on, so that the route rejects them. */
export function requestOf(tool: McpToolOperation, given: Json): { url: string; payload?: Json } {
  let path = tool.path;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) {
    if (name === tool.body || value === undefined || value === null) continue;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, encodeURIComponent(text));
    else query.set(name, text);
  }
  const url = query.size === 0 ? path : `${path}?${query}`;
  return tool.body === undefined ? { url } : { url, payload: (given[tool.body] ?? {}) as Json };
}

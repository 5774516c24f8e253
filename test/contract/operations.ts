import { withoutComponents } from '../../src/edge/server/surface.ts';

type Json = Record<string, unknown>;

export interface DescribedOperation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly security: readonly Json[];
  readonly parameters: readonly { name: string; in: string; schema: Json; required: boolean }[];
  readonly body: Json | undefined;
  readonly form: Json | undefined;
  readonly responses: Readonly<Record<string, Json>>;
}

export function operationsOf(openapi: Json): DescribedOperation[] {
  const found: DescribedOperation[] = [];
  const { paths } = withoutComponents(openapi);
  for (const [path, item] of Object.entries(paths as Record<string, Record<string, Json>>)) {
    for (const [method, operation] of Object.entries(item)) {
      const content = ((operation.requestBody as Json)?.content ?? {}) as Record<string, { schema: Json }>;
      found.push({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        security: operation.security as Json[],
        parameters: (operation.parameters ?? []) as DescribedOperation['parameters'],
        body: content['application/json']?.schema,
        form: content['multipart/form-data']?.schema,
        responses: operation.responses as Record<string, Json>,
      });
    }
  }
  return found;
}

export const credentialKind = ({ security }: DescribedOperation): 'none' | 'key' | 'session' | 'operator' => {
  const schemes = new Set(security.flatMap(Object.keys));
  // An empty scheme means that the credential is optional, and that the route answers without it.
  if (schemes.size === 0 || security.some((one) => Object.keys(one).length === 0)) return 'none';
  if (schemes.has('bearer')) return 'key';
  return schemes.has('operator') ? 'operator' : 'session';
};

type Json = Record<string, unknown>;

export function llmsText(openapi: Json, asyncapi: Json, baseUrl: string): string {
  const info = openapi.info as { title: string; description: string };
  const groups = new Map<string, string[]>();
  for (const [path, item] of Object.entries(openapi.paths as Record<string, Record<string, Json>>)) {
    for (const [method, operation] of Object.entries(item)) {
      const tag = String((operation.tags as string[])[0]);
      const line = `- ${method.toUpperCase()} ${path}: ${operation.summary}`;
      groups.set(tag, [...(groups.get(tag) ?? []), line]);
    }
  }
  const tags = (openapi.tags as { name: string; description?: string }[]).map(
    ({ name, description }) =>
      `## ${name}\n\n${description ? `${description}\n\n` : ''}${(groups.get(name) ?? []).join('\n')}`,
  );
  const sockets = Object.values(asyncapi.channels as Record<string, Json>).map(
    ({ address, description }) => `- ${address}: ${description}`,
  );
  return `# ${info.title}

> ${info.description}

- [OpenAPI 3.1](${baseUrl}/openapi.json): every REST operation, with schemas, examples and error codes
- [AsyncAPI 3.0](${baseUrl}/asyncapi.json): every WebSocket frame
- [Errors](${baseUrl}/problems): what each code means
- Key: \`POST ${baseUrl}/v1/sandbox/keys\` gives one for a day; send it as \`Authorization: Bearer\`

## Sockets

${sockets.join('\n')}

${tags.join('\n\n')}
`;
}

/** The two descriptions as one page that is read without a script: sockets first, then the routes by surface. */
import { escapeHtml, page } from '../rest/pages.ts';

type Json = Record<string, unknown>;

const coded = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
const shown = (value: unknown): string => `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`;
const row = (...cells: string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
const table = (rows: readonly string[]): string =>
  rows.length > 0 ? `<div class="t"><table>${rows.join('')}</table></div>` : '';

export function referencePage(openapi: Json, asyncapi: Json): string {
  const tags = openapi.tags as { name: string; description?: string }[];
  const base = (openapi.servers as { url: string }[])[0]?.url ?? '';
  const sections = tags.map(({ name, description }) => {
    const operations = operationsOf(openapi, name).map((one) => operationSection(base, ...one));
    return `<h2 id="${idOf(name)}">${escapeHtml(name)}</h2><p>${escapeHtml(description ?? '')}</p>${operations.join('')}`;
  });
  const contents = ['Sockets', ...tags.map(({ name }) => name)].map(
    (name) => `<a href="#${idOf(name)}">${escapeHtml(name)}</a><br>`,
  );
  return page(
    'Reference',
    `<p>Machine-readable: <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/asyncapi.json">AsyncAPI 3.0</a>, <a href="/llms.txt">llms.txt</a>.
<a href="/problems">Error codes</a>.</p><nav>${contents.join('')}</nav>${socketSections(asyncapi)}${sections.join('')}`,
  );
}

const idOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');

type Operation = [method: string, path: string, operation: Json];

function operationsOf(openapi: Json, tag: string): Operation[] {
  const paths = Object.entries(openapi.paths as Record<string, Record<string, Json>>);
  return paths.flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => (operation.tags as string[])[0] === tag)
      .map(([method, operation]): Operation => [method, path, operation]),
  );
}

interface Media {
  readonly schema?: Json;
  readonly example?: unknown;
}

function operationSection(base: string, method: string, path: string, operation: Json): string {
  const body = (operation.requestBody as { content?: Record<string, Media> } | undefined)?.content ?? {};
  const parameters = ((operation.parameters ?? []) as Json[]).map((one) =>
    row(
      `<code>${escapeHtml(String(one.name))}</code>`,
      `${one.in}${one.required ? ', required' : ''}`,
      said(one.schema as Json, one.description),
    ),
  );
  const answers = Object.entries(operation.responses as Record<string, Json>).map(([status, response]) =>
    row(status, coded(String(response.description))),
  );
  return `<details><summary><span class="m">${method}</span> <code>${escapeHtml(path)}</code> ${escapeHtml(
    String(operation.summary ?? ''),
  )}</summary><p>${coded(String(operation.description ?? '')).replaceAll('\n\n', '</p><p>')}</p>
${table(parameters)}${Object.entries(body)
  .map(([type, media]) => bodyTable(type, media))
  .join('')}
<p>With curl</p><pre>${escapeHtml(curlOf(base, method, path, operation, body))}</pre>${table(answers)}${answer(operation)}</details>`;
}

function bodyTable(type: string, { schema = {} }: Media): string {
  return `<p>Body: <code>${escapeHtml(type)}</code></p>${fields(schema)}`;
}

function fields(schema: Json): string {
  const required = (schema.required ?? []) as string[];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  return table(
    properties.map(([name, inner]) =>
      row(
        `<code>${escapeHtml(name)}</code>`,
        required.includes(name) ? 'required' : '',
        said(inner, inner.description),
      ),
    ),
  );
}

/** Type, bounds and words of one field. */
function said(schema: Json, description: unknown): string {
  const { description: _said, examples: _examples, properties, items, ...rest } = schema;
  const inner = properties === undefined ? {} : { fields: Object.keys(properties as object) };
  const of = items === undefined ? {} : { of: (items as Json).type ?? 'any' };
  return `<code>${escapeHtml(JSON.stringify({ ...rest, ...inner, ...of }))}</code> ${coded(String(description ?? ''))}`;
}

function curlOf(
  base: string,
  method: string,
  path: string,
  operation: Json,
  body: Record<string, Media>,
): string {
  const parameters = (operation.parameters ?? []) as { name: string; in: string; example?: unknown }[];
  const filled = parameters
    .filter((one) => one.in === 'path')
    .reduce(
      (url, one) => url.replace(`{${one.name}}`, encodeURIComponent(String(one.example ?? one.name))),
      path,
    );
  const key = (operation.security as Json[]).length === 0 ? '' : ' \\\n  -H "Authorization: Bearer $KEY"';
  const json = body['application/json']?.example;
  if (json !== undefined) {
    return `curl -X ${method.toUpperCase()} ${base}${filled}${key} \\\n  -H "content-type: application/json" -d '${JSON.stringify(json).replaceAll("'", "'\\''")}'`;
  }
  const form = body['multipart/form-data'] === undefined ? '' : ' \\\n  -F file=@recording.wav';
  return `curl -X ${method.toUpperCase()} ${base}${filled}${key}${form}`;
}

function answer(operation: Json): string {
  const [, success] =
    Object.entries(operation.responses as Record<string, Json>).find(([status]) => status.startsWith('2')) ??
    [];
  const media = Object.entries((success?.content ?? {}) as Record<string, Media>);
  return media
    .map(
      ([type, { example }]) =>
        `<p>Answer: <code>${escapeHtml(type)}</code></p>${example === undefined ? '' : shown(example)}`,
    )
    .join('');
}

interface Message {
  readonly summary: string;
  readonly contentType: string;
  readonly payload?: Json;
  readonly examples?: readonly { readonly payload: unknown }[];
  readonly 'x-frame'?: string;
}

function socketSections(asyncapi: Json): string {
  const channels = Object.values(asyncapi.channels as Record<string, Json>).map(socketSection);
  return `<h2 id="sockets">Sockets</h2>${channels.join('') || '<p>None.</p>'}`;
}

function socketSection(channel: Json): string {
  const query = (channel.bindings as { ws: { query: Json } } | undefined)?.ws.query;
  const messages = Object.entries(channel.messages as Record<string, Message>).map(messageSection);
  const closes = Object.entries(channel['x-close-codes'] as Record<string, string>);
  return `<h3>${escapeHtml(String(channel.title))} <code>${escapeHtml(String(channel.address))}</code></h3>
<p>${coded(String(channel.description))}</p>${query ? `<p>Query of the URL</p>${fields(query)}` : ''}${messages.join('')}
<details><summary>Close codes</summary>${table(closes.map(([code, meaning]) => row(code, escapeHtml(meaning))))}</details>`;
}

function messageSection([name, message]: [string, Message]): string {
  const frame = message['x-frame'];
  const example = frame === undefined ? message.examples?.[0]?.payload : undefined;
  return `<details><summary><code>${escapeHtml(name)}</code> ${escapeHtml(message.summary)}</summary>${fields(message.payload ?? {})}
${frame === undefined ? '' : `<p>On the wire: first byte, then the rest</p><pre>${escapeHtml(frame)}</pre>`}${
  example === undefined ? '' : shown(example)
}</details>`;
}

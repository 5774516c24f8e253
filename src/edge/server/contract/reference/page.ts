import { escapeHtml, page } from '../../rest/pages.ts';
import {
  describeSchema,
  entry,
  fields,
  idOf,
  inlineCode,
  type Json,
  type Media,
  row,
  shown,
  table,
  typeOf,
} from './html.ts';
import { bodyOf, curlOf, filledPath, pythonOf, type SampledOperation, typescriptOf } from './samples.ts';
import { socketSections, webhookSections } from './sockets.ts';

/** The policy allows one script and requests to this server, and nothing external. */
export const referenceHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; media-src blob:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'public, max-age=300',
};

/** Renders a page that is readable without its script, which adds the search and the request form. */
export function referencePage(openapi: Json, asyncapi: Json): string {
  const tags = openapi.tags as { name: string; description?: string }[];
  const base = (openapi.servers as { url: string }[])[0]?.url ?? '';
  const sections = tags.map(({ name, description }) => {
    const operations = operationsOf(openapi, name).map((one) => operationSection(base, one));
    return `<section><h2 id="${idOf(name)}">${escapeHtml(name)}</h2><p>${escapeHtml(description ?? '')}</p>${operations.join('')}</section>`;
  });
  const contents = ['Sockets', ...tags.map(({ name }) => name)].map(
    (name) => `<a href="#${idOf(name)}">${escapeHtml(name)}</a><br>`,
  );
  return page(
    'Reference',
    `<p>Machine-readable: <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/asyncapi.json">AsyncAPI 3.0</a>, <a href="/llms.txt">llms.txt</a>.
<a href="/problems">Error codes</a>. Methods of TypeScript and Python are those of the project’s own clients.</p>
<div class="bar" hidden><input id="search" type="search" placeholder="Search operations, frames, events, fields" aria-label="Search">
<input id="key" type="password" placeholder="API key to try requests with" aria-label="API key" autocomplete="off"></div>
<p id="found" role="status"></p><nav>${contents.join('')}<a href="#events">Events of webhooks</a></nav>
${socketSections(asyncapi)}${webhookSections(openapi)}${sections.join('')}<script src="/docs/reference.js" defer></script>`,
  );
}

function operationsOf(openapi: Json, tag: string): SampledOperation[] {
  const paths = Object.entries(openapi.paths as Record<string, Record<string, Json>>);
  return paths.flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => (operation.tags as string[])[0] === tag)
      .map(([method, operation]): SampledOperation => ({ method, path, operation })),
  );
}

function operationSection(base: string, described: SampledOperation): string {
  const { method, path, operation } = described;
  const parameters = ((operation.parameters ?? []) as Json[]).map((one) =>
    row(
      `<code>${escapeHtml(String(one.name))}</code>`,
      `${escapeHtml(typeOf(one.schema as Json))}, in ${one.in}${one.required ? ', required' : ''}`,
      describeSchema(one.schema as Json, one.description),
    ),
  );
  const bodies = Object.entries(bodyOf(described)).map(
    ([type, { schema = {} }]) => `<h4>Body: <code>${escapeHtml(type)}</code></h4>${fields(schema)}`,
  );
  return entry(
    String(operation.operationId),
    `<span class="m">${method}</span> <code>${escapeHtml(path)}</code> ${escapeHtml(String(operation.summary ?? ''))}`,
    `<p>${inlineCode(String(operation.description ?? '')).replaceAll('\n\n', '</p><p>')}</p>
${parameters.length > 0 ? '<h4>Parameters</h4>' : ''}${table(parameters)}${bodies.join('')}
<h4>Request</h4>${sample('curl', curlOf(base, described))}${sample('TypeScript', typescriptOf(described))}${sample('Python', pythonOf(described))}
${trial(described)}<h4>Answers</h4>${answers(operation)}`,
  );
}

const sample = (language: string, text: string): string =>
  `<details class="c"${language === 'curl' ? ' open' : ''}><summary>${language}</summary>${shown(text)}</details>`;

function trial(described: SampledOperation): string {
  const body = bodyOf(described);
  const json = body['application/json'];
  const form = json ? undefined : body['multipart/form-data'];
  const said = {
    method: described.method.toUpperCase(),
    path: filledPath(described),
    ...(json ? { json: json.example ?? {} } : {}),
    ...(form ? { form: form.example ?? {} } : {}),
  };
  return `<div class="try" data-try="${escapeHtml(JSON.stringify(said))}"></div>`;
}

function answers(operation: Json): string {
  const responses = Object.entries(operation.responses as Record<string, Json>);
  const rows = responses.map(([status, { description }]) => row(status, inlineCode(String(description))));
  const media = responses
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, { content }]) =>
      Object.entries((content ?? {}) as Record<string, Media>).map((one) => [status, ...one] as const),
    );
  const good = media.map(
    ([status, type, { schema = {}, example }]) =>
      `<h4>${status} <code>${escapeHtml(type)}</code></h4>${fields(schema)}${example === undefined ? '' : shown(example)}`,
  );
  return table(rows) + good.join('');
}

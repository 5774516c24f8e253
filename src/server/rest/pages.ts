import { ERRORS, type ErrorCode } from '../../platform/errors.ts';

type Json = Record<string, unknown>;

/** Pages carry their own style and no script, and load nothing from anywhere. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'cache-control': 'public, max-age=300',
};

const STYLE = `
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
code,pre{font:14px/1.45 ui-monospace,monospace;background:#f3f4f6;border-radius:4px}code{padding:.1em .3em}
pre{padding:.8rem;overflow:auto;max-height:28rem}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;
border-bottom:1px solid #e5e7eb;vertical-align:top}summary{cursor:pointer;padding:.35rem 0}nav{columns:3;font-size:14px}
.m{display:inline-block;min-width:4.5rem;font-weight:600;text-transform:uppercase;font-size:13px}h2{margin-top:2.2rem}
@media(prefers-color-scheme:dark){body{background:#14171a;color:#e6e8ea}code,pre{background:#22272c}td,th{border-color:#333a41}a{color:#8ab4f8}}`;

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

export const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><h1>${escapeHtml(title)}</h1>${body}</body></html>`;

export function problemPage(code: ErrorCode): string {
  const entry = ERRORS[code];
  const advice = entry.retry
    ? 'The same request may succeed later; wait as long as <code>Retry-After</code> says.'
    : 'The same request will fail again; change it first.';
  return page(
    entry.title,
    `<p><code>${code}</code> · HTTP ${entry.status} · <code>${entry.type}</code></p>
<p>${escapeHtml(entry.explanation)}</p><p>${advice}</p><p><a href="/problems">Every code</a> · <a href="/docs">Reference</a></p>`,
  );
}

/** The whole description as one page that is read without a script. */
export function referencePage(openapi: Json, asyncapi: Json): string {
  const paths = openapi.paths as Record<string, Record<string, Json>>;
  const groups = new Map<string, string[]>();
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const tag = String((operation.tags as string[])[0]);
      groups.set(tag, [...(groups.get(tag) ?? []), operationSection(method, path, operation)]);
    }
  }
  const sections = [...groups].map(
    ([tag, operations]) => `<h2 id="${escapeHtml(tag)}">${escapeHtml(tag)}</h2>${operations.join('')}`,
  );
  const contents = [...groups.keys(), 'sockets'].map((tag) => `<a href="#${tag}">${escapeHtml(tag)}</a><br>`);
  return page(
    'Reference',
    `<p>Machine-readable: <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/asyncapi.json">AsyncAPI 3.0</a>.
<a href="/problems">Error codes</a>.</p><nav>${contents.join('')}</nav>${sections.join('')}${socketSections(asyncapi)}`,
  );
}

function operationSection(method: string, path: string, operation: Json): string {
  const scope = operation['x-required-scope'];
  const security = operation.security as Json[];
  const who = scope
    ? `Scope <code>${escapeHtml(String(scope))}</code>`
    : security.length === 0
      ? 'No credential'
      : `Credential: ${security.flatMap(Object.keys).join(' or ')}`;
  const responses = Object.entries(operation.responses as Record<string, Json>).map(
    ([status, response]) => `<tr><td>${status}</td><td>${inlineCode(String(response.description))}</td></tr>`,
  );
  const parameters = ((operation.parameters ?? []) as Json[]).map(
    (one) =>
      `<tr><td><code>${escapeHtml(String(one.name))}</code> ${one.required ? '(required)' : ''}</td><td>${one.in}</td>
<td><code>${escapeHtml(JSON.stringify(one.schema))}</code> ${escapeHtml(String(one.description ?? ''))}</td></tr>`,
  );
  return `<details><summary><span class="m">${method}</span> <code>${escapeHtml(path)}</code> ${escapeHtml(
    String(operation.summary ?? ''),
  )}</summary><p>${who}</p><p>${escapeHtml(String(operation.description ?? ''))}</p>
${parameters.length > 0 ? `<table>${parameters.join('')}</table>` : ''}
${operation.requestBody ? `<p>Body</p>${shown((operation.requestBody as Json).content)}` : ''}
<table>${responses.join('')}</table>${successBody(operation)}</details>`;
}

function successBody(operation: Json): string {
  const success = Object.entries(operation.responses as Record<string, Json>).find(([status]) =>
    status.startsWith('2'),
  );
  return success?.[1].content ? `<p>Answer</p>${shown(success[1].content)}` : '';
}

const shown = (value: unknown): string => `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`;

const inlineCode = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

function socketSections(asyncapi: Json): string {
  const channels = Object.values(asyncapi.channels as Record<string, Json>).map((channel) => {
    const messages = Object.entries(channel.messages as Record<string, Json>).map(
      ([name, message]) =>
        `<details><summary><code>${escapeHtml(name)}</code> ${escapeHtml(String(message.summary))}</summary>${shown(
          message.payload ?? message.contentType,
        )}</details>`,
    );
    return `<h3><code>${escapeHtml(String(channel.address))}</code></h3><p>${escapeHtml(String(channel.summary))}</p>${messages.join('')}`;
  });
  return `<h2 id="sockets">sockets</h2>${channels.join('') || '<p>None.</p>'}`;
}

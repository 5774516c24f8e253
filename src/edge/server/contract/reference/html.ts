import { escapeHtml } from '../../rest/pages.ts';

export type Json = Record<string, unknown>;

export interface Media {
  readonly schema?: Json;
  readonly example?: unknown;
}

export const inlineCode = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
export const shown = (value: unknown): string =>
  `<pre>${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</pre>`;
export const row = (...cells: string[]): string =>
  `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
export const table = (rows: readonly string[]): string =>
  rows.length > 0 ? `<div class="t"><table>${rows.join('')}</table></div>` : '';
export const idOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');

export const entry = (id: string, summary: string, body: string): string =>
  `<details class="e" id="${id}"><summary>${summary}</summary>${body}</details>`;

const DEEPEST = 3;

export function fields(schema: Json, depth = 0, prefix = ''): string {
  const rows = fieldRows(schema, depth, prefix);
  return depth === 0 ? table(rows) : rows.join('');
}

function fieldRows(schema: Json, depth: number, prefix: string): string[] {
  const required = (schema.required ?? []) as string[];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  return properties.flatMap(([name, inner]) => [
    row(
      `<code>${escapeHtml(prefix + name)}</code>`,
      `${escapeHtml(typeOf(inner))}${required.includes(name) ? ', required' : ''}`,
      describeSchema(inner, inner.description),
    ),
    ...(depth < DEEPEST
      ? fieldRows(within(inner), depth + 1, `${prefix}${name}${inner.items ? '[]' : ''}.`)
      : []),
  ]);
}

const within = (schema: Json): Json => (schema.items as Json | undefined) ?? schema;

export function typeOf(schema: Json): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return 'one of';
  const branches = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (branches) return [...new Set(branches.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `list of ${typeOf((schema.items ?? {}) as Json)}`;
  return Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type ?? 'anything');
}

const BOUNDS = [
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'pattern',
  'format',
  'default',
];

export function describeSchema(schema: Json, description: unknown): string {
  const values = Array.isArray(schema.enum)
    ? schema.enum.map((one) => `<code>${escapeHtml(String(one))}</code>`)
    : [];
  const bounds = BOUNDS.filter((name) => schema[name] !== undefined).map(
    (name) => `${name} <code>${escapeHtml(JSON.stringify(schema[name]))}</code>`,
  );
  return [values.join(' '), inlineCode(String(description ?? '')), bounds.join(', ')]
    .filter(Boolean)
    .join('. ');
}

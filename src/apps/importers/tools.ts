import { BUILTIN_TOOLS } from '../../conversation/agents/index.ts';
import type { AgentDraft } from './agent-draft.ts';
import { type ExportReader, ImportError } from './export-reader.ts';

type Json = Record<string, unknown>;

export interface ForeignTool {
  readonly at: ExportReader;
  readonly name: string | undefined;
  readonly description?: string | undefined;
  readonly parameters?: unknown;
  readonly url?: string | undefined;
  readonly headers?: ExportReader;
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = [100, 30_000] as const;
const MOST_DESCRIPTION = 1024;
const MOST_TOOLS = 32;
const HEADER = /^(?!(?:host|connection|content-.*|transfer-.*|x-svc-.*)$)[a-z0-9-]{1,64}$/i;

export function convertTool(draft: AgentDraft, found: ForeignTool): void {
  const name = nameOf(draft, found);
  const { at, description = '', url, timeoutMs } = found;
  if (draft.tools.length >= MOST_TOOLS)
    throw new ImportError(`an agent can have at most ${MOST_TOOLS} tools`);
  if (description.length > MOST_DESCRIPTION)
    draft.change(at.path, `the description was shortened to ${MOST_DESCRIPTION} characters`);
  if (isFilledIn(found.parameters))
    draft.change(at.path, 'the model provides the constants and variables among the arguments');
  const headers = url === undefined ? {} : headersOf(draft, found.headers);
  draft.tools.push({
    name,
    kind: url === undefined ? 'client' : 'webhook',
    description: description.slice(0, MOST_DESCRIPTION),
    parameters: plainSchema(found.parameters ?? { type: 'object', properties: {} }),
    ...(url === undefined ? {} : { url }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(timeoutMs === undefined ? {} : { timeout_ms: draft.bounded(at, timeoutMs, TIMEOUT_MS) }),
  });
  if (url === undefined) draft.change(at.path, `${name} has no URL; the client of the call answers the tool`);
  else draft.change(at.path, `${hostOf(url)} receives the request body and signature of this product`);
}

/** Removes the parts of a URL that may be secret: names, passwords, paths and queries. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'its URL';
}

function nameOf(draft: AgentDraft, { at, name }: ForeignTool): string {
  if (!name) throw new ImportError(`${at.path} has no name`);
  const plain = name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 64);
  const result = BUILTIN_TOOLS.some((builtin) => builtin === plain) ? `own_${plain}` : plain;
  if (result !== name) draft.change(at.path, `${name} was renamed to ${result}`);
  if (draft.tools.some((tool) => tool.name === result))
    throw new ImportError(`two tools have the name ${result}`);
  return result;
}

function headersOf(draft: AgentDraft, piece: ExportReader | undefined): Json {
  const result: [string, string][] = [];
  for (const [name, value] of piece?.entries() ?? []) {
    const text = value.whole();
    if (typeof text === 'string' && HEADER.test(name)) result.push([name, text]);
    else if (/^content-type$/i.test(name)) continue;
    else draft.change(value.path, 'the header was not imported: add it to the tool');
  }
  return Object.fromEntries(result);
}

/** These keywords of JSON Schema are copied; the platforms' own additions are dropped. */
const SUPPORTED_FIELDS = [
  'type',
  'description',
  'enum',
  'const',
  'required',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'default',
  'additionalProperties',
];
const LISTS = ['anyOf', 'oneOf', 'allOf'];

export function plainSchema(schema: unknown): Json {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return {};
  const given = schema as Json;
  const result = SUPPORTED_FIELDS.map((name): [string, unknown] => [name, given[name]]);
  for (const name of LISTS) {
    const inside = given[name];
    if (Array.isArray(inside)) result.push([name, inside.map(plainSchema)]);
  }
  const { properties, items } = given;
  if (typeof properties === 'object' && properties !== null) {
    const inside = Object.entries(properties).map(([name, one]) => [name, plainSchema(one)]);
    result.push(['properties', Object.fromEntries(inside)]);
  }
  if (typeof items === 'object' && items !== null) result.push(['items', plainSchema(items)]);
  return Object.fromEntries(result.filter(([, value]) => value !== undefined && value !== null));
}

function isFilledIn(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const { constant_value: constant, dynamic_variable: variable } = schema as Json;
  return Boolean(constant || variable) || Object.values(schema).some(isFilledIn);
}

const PHONE = /\d[\d\s()./-]{5,}\d/;

/** Numbers stay out of the persona, because the agent may read it aloud. They are listed among the omissions. */
export function convertTransfer(draft: AgentDraft, at: ExportReader, reasons: readonly string[]): void {
  draft.builtin('transfer');
  const reported = reasons.filter((reason) => reason !== '' && !PHONE.test(reason));
  if (reported.length > 0)
    draft.behind(`You can transfer the call for:\n${reported.map((one) => `- ${one}`).join('\n')}`);
  if (reasons.some((reason) => PHONE.test(reason)))
    draft.change(at.path, 'a reason that contains a number was not imported');
  draft.change(
    at.path,
    'numbers were not imported, because an agent can read its persona aloud; a call is transferred to the fallback of its own number',
  );
}

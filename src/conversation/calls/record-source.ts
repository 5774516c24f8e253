import { createHash } from 'node:crypto';
import { type CaptureRecord, recordsIn } from '../../language/capture/index.ts';
import type { Lookup } from '../agents/index.ts';
import type { SessionTool, ToolDispatcher, ToolOutcome } from '../session/index.ts';

export interface LookupQuestion {
  readonly heard: string;
  readonly keys: string;
  readonly slot: string;
  readonly language: string;
}

/** The customer's records that an answer is read against: known rows, or a tool that is asked for candidates. */
export type RecordSource =
  | { readonly kind: 'rows'; readonly rows: readonly CaptureRecord[] }
  | {
      readonly kind: 'tool';
      readonly filler: string | null;
      readonly find: (question: LookupQuestion) => Promise<readonly CaptureRecord[]>;
    };

export interface LookupTools {
  readonly find: (name: string) => SessionTool | undefined;
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<ToolOutcome>;
}

/** No turn of the model makes these calls; their numbers lie below those of flows and confirmations. */
let calls = -2_000_000;

export const lookupTools = (dispatcher: Pick<ToolDispatcher, 'tools' | 'call'>): LookupTools => ({
  find: (name) => dispatcher.tools.get(name)?.tool,
  call: async (name, args) => await dispatcher.call(--calls, name, JSON.stringify(args)),
});

const MAX_ROWS = 200;
const MAX_CHARACTERS = 200;
const MAX_SPOKEN = 10;

/**
 * Each call reads its agent anew, and preparing thousands of rows takes longer than a call should wait: the newest
 * tables are cached by their content.
 */
const MOST_TABLES = 8;
const tables = new Map<string, CaptureRecord[]>();

function cachedRows(values: NonNullable<Lookup['values']>): CaptureRecord[] {
  const key = createHash('sha256').update(JSON.stringify(values)).digest('base64');
  const rows = tables.get(key) ?? recordsIn(values);
  tables.delete(key);
  tables.set(key, rows);
  for (const oldest of tables.keys()) {
    if (tables.size <= MOST_TABLES) break;
    tables.delete(oldest);
  }
  return rows;
}

/** Returns null where a tool of the lookup is gone; the value is then read without records. */
export function recordSource({ values, tool: name }: Lookup, tools: LookupTools): RecordSource | null {
  if (values !== undefined) return { kind: 'rows', rows: cachedRows(values) };
  const tool = name === undefined ? undefined : tools.find(name);
  if (tool === undefined) return null;
  const { properties = {} } = tool.parameters as { properties?: Record<string, unknown> };
  return {
    kind: 'tool',
    filler: tool.filler,
    find: async (question) => {
      const args = Object.fromEntries(
        Object.entries(question).filter(([field]) => field === 'heard' || Object.hasOwn(properties, field)),
      );
      const outcome = await tools.call(tool.name, args);
      return outcome.kind === 'result' ? candidatesIn(outcome.content) : [];
    },
  };
}

/** A tool's answer is the customer's text: what is no row is left out. */
export function candidatesIn(content: string): CaptureRecord[] {
  const answer = JSON.parse(content) as unknown;
  const listed = Array.isArray(answer) ? answer : (answer as { candidates?: unknown } | null)?.candidates;
  return Array.isArray(listed) ? listed.slice(0, MAX_ROWS).flatMap(rowOf) : [];
}

const isText = (text: unknown): text is string =>
  typeof text === 'string' && text.trim() !== '' && text.length <= MAX_CHARACTERS;

function rowOf(row: unknown): CaptureRecord[] {
  if (isText(row)) return [{ value: row }];
  const { value, id, label, spoken } = (typeof row === 'object' && row !== null ? row : {}) as Record<
    string,
    unknown
  >;
  if (!isText(value)) return [];
  return [
    {
      value,
      ...(isText(id) ? { id } : {}),
      ...(isText(label) ? { label } : {}),
      ...(Array.isArray(spoken) ? { spoken: spoken.filter(isText).slice(0, MAX_SPOKEN) } : {}),
    },
  ];
}
